package testapp;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
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
            case "waiting":
                response.getWriter().print(Gates.waiting(request.getParameter("gate")));
                return;
            case "hold":
                LateEnd.hold(request.getParameter("value"));
                return;
            case "has":
                response.getWriter().print(request.getSession(false) != null);
                return;
            case "stateless":
                response.getWriter().print("ok");
                return;
            case "thread":
                response.getWriter().print(Thread.currentThread());
                return;
            case "where":
                response.getWriter().print(getServletContext().getRealPath("/"));
                return;
            default:
                withSession(op, name, value, request, response);
        }
    }

    private void withSession(
            String op, String name, String value, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (op.startsWith("async")) {
            AsyncOperations.run(op, name, value, request, response);
            return;
        }
        HttpSession session = request.getSession();
        if (Responses.run(op, name, value, session, request, response)) {
            return;
        }
        PrintWriter out = response.getWriter();
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
            case "count":
                Integer count = (Integer) session.getAttribute(name);
                session.setAttribute(name, count == null ? 1 : count + 1);
                out.print(session.getAttribute(name));
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
            case "gatedrotate":
                Gates.await(request.getParameter("gate"));
                request.changeSessionId();
                Gates.await(request.getParameter("gate") + ".rotated");
                session.setAttribute(name, value);
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
            case "accessed":
                out.print(session.getLastAccessedTime());
                break;
            case "gated":
                session.getAttribute("anything");
                Gates.await(request.getParameter("gate"));
                session.setAttribute(name, value);
                break;
            case "gatedinvalidate":
                session.getAttribute("anything");
                Gates.await(request.getParameter("gate"));
                session.invalidate();
                break;
            case "fill":
                session.setAttribute(name, new byte[Integer.parseInt(value)]);
                break;
            case "noise":
                session.setAttribute(name, Noise.of(Integer.parseInt(value)));
                out.print(Noise.digest(session.getAttribute(name)));
                break;
            case "flip":
                ((byte[]) session.getAttribute(name))[Integer.parseInt(value)] ^= 1;
                break;
            case "digest":
                out.print(Noise.digest(session.getAttribute(name)));
                break;
            case "accessor":
                Accessor.later(session, name, value, request.getParameter("gate"));
                break;
            case "local":
                session.setAttribute(name, new Thread("not serializable"));
                break;
            case "onlyhere":
                session.setAttribute(name, new OnlyHere(value));
                break;
            case "versioned":
                session.setAttribute(name, Versioned.of(value));
                break;
            case "bound":
                session.setAttribute(name, new Bound(value));
                break;
            case "share":
                session.setAttribute("one." + name, new ArrayList<>(Collections.singleton(value)));
                session.setAttribute("two." + name, session.getAttribute("one." + name));
                break;
            case "same":
                out.print(session.getAttribute("one." + name) == session.getAttribute("two." + name));
                break;
            case "gadget":
                session.setAttribute(name, new javax.swing.DefaultListModel<String>());
                break;
            case "include":
                request.getRequestDispatcher("/do?op=set&name=" + name + "&value=" + value)
                        .include(request, response);
                session.setAttribute("after", "include");
                break;
            case "forward":
                session.setAttribute("before", "forward");
                request.getRequestDispatcher("/do?op=set&name=" + name + "&value=" + value)
                        .forward(request, response);
                break;
            case "cross":
                getServletContext()
                        .getContext("/back")
                        .getRequestDispatcher("/do?op=" + name + "&name=user&value=" + value)
                        .include(request, response);
                break;
            case "fail":
                session.setAttribute(name, value);
                throw new IllegalStateException("as asked");
            default:
                response.sendError(400, op);
        }
    }

    @SuppressWarnings("unchecked")
    static void append(HttpSession session, String name, String value) {
        List<String> list = (List<String>) session.getAttribute(name);
        if (list == null) {
            session.setAttribute(name, new ArrayList<>(Collections.singleton(value)));
        } else {
            list.add(value);
        }
    }
}
