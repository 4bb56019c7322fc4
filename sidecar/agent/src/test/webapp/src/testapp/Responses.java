package testapp;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.servlet.ServletOutputStream;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpSession;

/** The ways in which a response leaves after, or while, the session was changed. */
final class Responses {
    private static final int LARGE = 4 << 20;

    private Responses() {}

    /** False: it is some other operation. */
    static boolean run(
            String op,
            String name,
            String value,
            HttpSession session,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        switch (op) {
            case "redirect":
                session.setAttribute(name, value);
                response.sendRedirect("do?op=get&name=" + name);
                return true;
            case "senderror":
                session.setAttribute(name, value);
                response.sendError(418, "as asked");
                return true;
            case "flush":
                session.setAttribute(name, value);
                response.flushBuffer();
                Gates.await(request.getParameter("gate"));
                return true;
            case "stream":
                stream(session, name, value, request, response);
                return true;
            case "events":
                events(session, name, Integer.parseInt(value), request, response);
                return true;
            case "steps":
                steps(session, name, Integer.parseInt(value), request.getParameter("gate"));
                return true;
            case "large":
                session.setAttribute(name, value);
                large(response.getOutputStream());
                return true;
            case "hangup":
                session.getAttribute(name);
                Gates.await(request.getParameter("gate"));
                session.setAttribute(name, value);
                large(response.getOutputStream());
                return true;
            case "closeearly":
                response.getOutputStream().close();
                session.setAttribute(name, value);
                return true;
            default:
                return false;
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

    /** What each event tells is in the session before it. */
    private static void events(
            HttpSession session, String name, int events, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        for (int event = 1; event <= events; event++) {
            session.setAttribute(name, event);
            response.getOutputStream().print(event);
            response.flushBuffer();
            Gates.await(request.getParameter("gate") + event);
        }
    }

    /** Of a long job or an upload, whose progress is an object that is changed and set again. */
    private static void steps(HttpSession session, String name, int steps, String gate) {
        List<Integer> done = new ArrayList<>();
        for (int step = 1; step <= steps; step++) {
            done.add(step);
            session.setAttribute(name, done);
            Gates.await(gate + step);
        }
    }

    /** In chunks, since its length is not said. */
    private static void large(ServletOutputStream out) throws IOException {
        byte[] chunk = new byte[64 << 10];
        Arrays.fill(chunk, (byte) 'x');
        for (int written = 0; written < LARGE; written += chunk.length) {
            out.write(chunk);
        }
    }
}
