package dev.sojourn.examples.login;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** The home page: who you are, how often you clicked, and which pods answered. */
@WebServlet("")
public class HomeServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        var session = request.getSession(false);
        if (session == null || !(session.getAttribute("visit") instanceof Visit visit)) {
            response.sendRedirect(request.getContextPath() + "/login");
            return;
        }
        Page.write(
                response,
                "<h1>Hello, " + Page.escape(String.valueOf(session.getAttribute("user"))) + "</h1><p>You clicked <b>"
                        + visit.clicks()
                        + "</b> times. This page comes from pod <b>" + Page.POD + "</b>; your last clicks went to "
                        + Page.escape(String.join(", ", visit.lastPods()))
                        + "</p><form method=post action=click><button autofocus>Click</button></form>"
                        + "<form method=post action=logout><button>Log out</button></form>");
    }
}
