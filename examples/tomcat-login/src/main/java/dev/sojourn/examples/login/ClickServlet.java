package dev.sojourn.examples.login;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * {@code POST /click} counts one more click of the user. Answers {@code {"user", "clicks", "pod"}} to those who accept JSON,
 * a redirect home to browsers, and 401 (or the login page) to whom it does not know.
 */
@WebServlet("/click")
public class ClickServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean json = "application/json".equals(request.getHeader("Accept"));
        var session = request.getSession(false);
        if (session == null || !(session.getAttribute("visit") instanceof Visit visit)) {
            if (json) {
                response.sendError(HttpServletResponse.SC_UNAUTHORIZED, "not logged in");
            } else {
                response.sendRedirect(request.getContextPath() + "/login");
            }
            return;
        }
        // In place, and no setAttribute afterwards: what applications really do.
        int clicks = visit.click(Page.POD);
        if (json) {
            response.setContentType("application/json");
            response.getWriter()
                    .printf(
                            "{\"user\":\"%s\",\"clicks\":%d,\"pod\":\"%s\"}",
                            session.getAttribute("user"), clicks, Page.POD);
        } else {
            response.sendRedirect(request.getContextPath() + "/");
        }
    }
}
