package testapp;

import java.io.IOException;
import javax.servlet.AsyncContext;
import javax.servlet.AsyncEvent;
import javax.servlet.AsyncListener;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import javax.servlet.http.HttpSession;

/** The ways in which an asynchronous request goes on and ends. */
final class AsyncOperations {
    private AsyncOperations() {}

    static void run(String op, String name, String value, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        // The dispatches may come back to a servlet that was included or forwarded to: no wrappers.
        AsyncContext async = request.startAsync();
        switch (op) {
            case "asyncset":
                // The container's own thread never asks for the session.
                setInThread(async, name, value);
                break;
            case "asyncappend":
                HttpSession session = request.getSession();
                async.start(() -> {
                    Operations.append(session, name, value);
                    async.complete();
                });
                break;
            case "asyncdispatch":
                request.getSession().setAttribute("before", "dispatch");
                async.dispatch("/do?op=set&name=" + name + "&value=" + value);
                break;
            case "asyncfail":
                request.getSession().setAttribute("before", "dispatch failed");
                async.dispatch("/do?op=fail&name=" + name + "&value=" + value);
                break;
            case "asyncthrow":
                request.getSession().setAttribute(name, value);
                // There is no error page for it, whose bytes would commit what was done.
                throw new UnsupportedOperationException("as asked");
            case "asynctimeout":
                async.setTimeout(100);
                async.addListener(new SetOnTimeout(request.getSession(), name, value));
                break;
            case "asynclate":
                HttpSession kept = request.getSession();
                new Thread(() -> {
                    async.complete();
                    // The request is recycled by now, or will be in a moment.
                    Gates.await(value);
                    kept.setAttribute(name, "late");
                })
                        .start();
                break;
            case "asyncgated":
                String gate = request.getParameter("gate");
                request.getSession().setAttribute(name, value);
                // Nobody but the application ends it.
                async.setTimeout(0);
                new Thread(() -> {
                    Gates.await(gate);
                    async.complete();
                })
                        .start();
                break;
            default:
                response.sendError(400, op);
                async.complete();
        }
    }

    private static void setInThread(AsyncContext async, String name, String value) {
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
        })
                .start();
    }

    private static final class SetOnTimeout implements AsyncListener {
        private final HttpSession session;
        private final String name;
        private final String value;

        SetOnTimeout(HttpSession session, String name, String value) {
            this.session = session;
            this.name = name;
            this.value = value;
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            session.setAttribute(name, value);
            event.getAsyncContext().getResponse().getWriter().print("timeout");
            event.getAsyncContext().complete();
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
