package testapp;

import java.io.IOException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Behind a login by form, and the form. */
public class Secure extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response);
    }

    private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getServletPath().equals("/loginpage")) {
            response.getWriter().print("please log in");
        } else {
            response.getWriter().print(request.getMethod() + " " + request.getRemoteUser() + " "
                    + request.getParameter("order"));
        }
    }
}
