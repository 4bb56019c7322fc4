package dev.sojourn.bench.app;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One click: counts in the session, changes some of it, and answers {@code counter-before counter-after stamp-before whole|torn}.
 * With {@code end} the session ends, and with {@code read}, once there is one, nothing is counted or changed: then all of it is looked at. {@code as} says how the answer
 * leaves.
 */
public final class StateServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String NAME = "state";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HttpSession session = request.getSession();
        response.setContentType("text/plain");
        response.setCharacterEncoding("US-ASCII");
        State state = (State) session.getAttribute(NAME);
        if (request.getParameter("end") != null) {
            String last = state == null ? "0 0 0 whole" : look(state);
            session.invalidate();
            response.getWriter().print(last);
            return;
        }
        Random random = ThreadLocalRandom.current();
        if (state == null) {
            state = new State(Integer.parseInt(request.getParameter("size")), random);
        }
        if (request.getParameter("read") != null && state.counter() > 0) {
            response.getWriter().print(look(state));
            return;
        }
        long before = state.counter();
        long stamp = state.stamp();
        boolean whole = state.change(
                Integer.parseInt(request.getParameter("change")),
                Long.parseLong(request.getParameter("stamp")),
                random);
        // Told explicitly, though Sojourn would find it: most peers keep the change to this node otherwise.
        session.setAttribute(NAME, state);
        answer(
                response,
                request.getParameter("as"),
                before + " " + state.counter() + " " + stamp + " " + (whole ? "whole" : "torn"));
    }

    private static String look(State state) {
        return state.counter() + " " + state.counter() + " " + state.stamp() + " "
                + (state.isWhole() ? "whole" : "torn");
    }

    /** By default with a length; a redirect has the answer in its location. */
    private static void answer(HttpServletResponse response, String as, String text) throws IOException {
        if ("redirect".equals(as)) {
            response.sendRedirect("next?answer=" + URLEncoder.encode(text, StandardCharsets.US_ASCII));
            return;
        }
        PrintWriter out = response.getWriter();
        out.print(text);
        if ("chunks".equals(as)) {
            out.print("\n");
            out.flush();
            out.print("the rest\n");
        } else if ("stream".equals(as)) {
            out.print("\n");
            for (int i = 0; i < 8; i++) {
                out.flush();
                out.print("0123456789abcdef".repeat(64));
            }
        }
    }
}
