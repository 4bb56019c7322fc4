package testapp;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import javax.servlet.AsyncContext;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpSession;

/** One operation on the session per request: op=, and what it needs. Knows nothing of Sojourn. */
public class Operations extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        response.setContentType("text/plain");
        String name = request.getParameter("name");
        String value = request.getParameter("value");
        String op = request.getParameter("op");
        switch (op) {
            case "counters":
                response.getWriter().print(Counters.report());
                return;
            case "open":
                Gates.open(request.getParameter("gate"));
                return;
            case "has":
                response.getWriter().print(request.getSession(false) != null);
                return;
            case "stateless":
                response.getWriter().print("ok");
                return;
            default:
                withSession(op, name, value, request, response);
        }
    }

    private void withSession(
            String op, String name, String value, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (op.equals("asyncset")) {
            // The container's own thread never asks for the session.
            startAsync(request, name, value);
            return;
        }
        HttpSession session = request.getSession();
        PrintWriter out = op.equals("stream") || op.equals("closeearly") ? null : response.getWriter();
        switch (op) {
            case "create":
                break;
            case "set":
                session.setAttribute(name, value);
                break;
            case "get":
                out.print(session.getAttribute(name));
                break;
            case "append":
                append(session, name, value);
                break;
            case "remove":
                session.removeAttribute(name);
                break;
            case "names":
                out.print(new TreeSet<>(Collections.list(session.getAttributeNames())));
                break;
            case "invalidate":
                session.invalidate();
                break;
            case "rotate":
                out.print(request.changeSessionId());
                break;
            case "timeout":
                session.setMaxInactiveInterval(Integer.parseInt(value));
                break;
            case "login":
                request.login(name, value);
                break;
            case "who":
                out.print(request.getRemoteUser());
                break;
            case "facts":
                out.print(session.isNew() + " " + session.getCreationTime() + " " + session.getMaxInactiveInterval());
                break;
            case "redirect":
                session.setAttribute(name, value);
                response.sendRedirect("do?op=get&name=" + name);
                break;
            case "stream":
                stream(session, name, value, request, response);
                break;
            case "gated":
                session.getAttribute("anything");
                Gates.await(request.getParameter("gate"));
                session.setAttribute(name, value);
                break;
            case "local":
                session.setAttribute(name, new Thread("not serializable"));
                break;
            case "onlyhere":
                session.setAttribute(name, new OnlyHere(value));
                break;
            case "asyncappend":
                startAsyncAppend(request, session, name, value);
                break;
            case "forward":
                session.setAttribute("before", "forward");
                request.getRequestDispatcher("/do?op=set&name=" + name + "&value=" + value)
                        .forward(request, response);
                break;
            case "fail":
                session.setAttribute(name, value);
                throw new IllegalStateException("as asked");
            case "closeearly":
                response.getOutputStream().close();
                session.setAttribute(name, value);
                break;
            default:
                response.sendError(400, op);
        }
    }

    @SuppressWarnings("unchecked")
    private static void append(HttpSession session, String name, String value) {
        List<String> list = (List<String>) session.getAttribute(name);
        if (list == null) {
            session.setAttribute(name, new ArrayList<>(Collections.singleton(value)));
        } else {
            list.add(value);
        }
    }

    /** The first bytes are out while the request goes on, and changes the session once more. */
    private static void stream(
            HttpSession session, String name, String value, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        session.setAttribute(name, value);
        response.getOutputStream().print("first");
        response.flushBuffer();
        Gates.await(request.getParameter("gate"));
        session.setAttribute(name, value + " late");
        response.getOutputStream().print("last");
    }

    private static void startAsync(HttpServletRequest request, String name, String value) {
        AsyncContext async = request.startAsync();
        new Thread(() -> {
            try {
                HttpSession session = ((HttpServletRequest) async.getRequest()).getSession();
                session.setAttribute(name, value);
                async.getResponse().getWriter().print("async");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            } finally {
                async.complete();
            }
        }).start();
    }

    private static void startAsyncAppend(HttpServletRequest request, HttpSession session, String name, String value) {
        AsyncContext async = request.startAsync();
        async.start(() -> {
            append(session, name, value);
            async.complete();
        });
    }
}
