package dev.sojourn.bench.app;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * One click: counts in the session, changes some of it, and answers {@code counter-before counter-after stamp-before whole|torn}.
 * With {@code end} the session ends.
 */
public final class StateServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String NAME = "state";

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HttpSession session = request.getSession();
        response.setContentType("text/plain");
        response.setCharacterEncoding("US-ASCII");
        if (request.getParameter("end") != null) {
            session.invalidate();
            response.getWriter().print("ended");
            return;
        }
        Random random = ThreadLocalRandom.current();
        State state = (State) session.getAttribute(NAME);
        if (state == null) {
            state = new State(Integer.parseInt(request.getParameter("size")), random);
        }
        long before = state.counter();
        long stamp = state.stamp();
        boolean whole = state.change(
                Integer.parseInt(request.getParameter("change")),
                Long.parseLong(request.getParameter("stamp")),
                random);
        // Told explicitly, though Sojourn would find it: most peers keep the change to this node otherwise.
        session.setAttribute(NAME, state);
        response.getWriter().print(before + " " + state.counter() + " " + stamp + " " + (whole ? "whole" : "torn"));
    }
}
