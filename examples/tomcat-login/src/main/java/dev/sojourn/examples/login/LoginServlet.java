package dev.sojourn.examples.login;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** {@code GET /login} shows the form; {@code POST /login} with {@code user} logs in and redirects to the home page. */
@WebServlet("/login")
public class LoginServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Page.write(
                response,
                "<h1>Log in</h1><form method=post action=login>"
                        + "<input name=user placeholder='any name' autofocus required> <button>Log in</button></form>");
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String user = request.getParameter("user");
        if (user == null || user.isBlank()) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "user is missing");
            return;
        }
        var session = request.getSession();
        // A new id at login, as every framework does it: an id planted before the login is worth nothing after it.
        request.changeSessionId();
        session.setAttribute("user", user);
        session.setAttribute("visit", new Visit());
        response.sendRedirect(request.getContextPath() + "/");
    }
}
