<%-- Says at once in which pod it runs, counts in the session, and answers the rest when its time is over. --%><%
Integer count = (Integer) session.getAttribute("count");
session.setAttribute("count", count == null ? 1 : count + 1);
out.println(System.getenv("HOSTNAME"));
out.flush();
Thread.sleep(Long.parseLong(request.getParameter("ms")));
out.println("done " + session.getAttribute("count"));
%>
