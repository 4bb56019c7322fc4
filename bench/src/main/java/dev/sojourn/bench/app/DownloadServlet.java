package dev.sojourn.bench.app;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A slow download in a session, on a container's thread only while it begins: answers as {@link StateServlet}, then a piece every 50 ms. The session
 * is changed when it begins, and once more when it ends, on a thread that is not the container's.
 */
public final class DownloadServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String NAME = "state";
    private static final int PIECES = 10;
    private static final byte[] PIECE = new byte[1024];

    private transient ScheduledExecutorService pieces = Executors.newSingleThreadScheduledExecutor();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HttpSession session = request.getSession();
        State stored = (State) session.getAttribute(NAME);
        State state = stored == null
                ? new State(Integer.parseInt(request.getParameter("size")), ThreadLocalRandom.current())
                : stored;
        long before = state.counter();
        long stampBefore = state.stamp();
        long stamp = Long.parseLong(request.getParameter("stamp"));
        int change = Integer.parseInt(request.getParameter("change"));
        boolean whole = state.change(change, stamp, ThreadLocalRandom.current());
        session.setAttribute(NAME, state);
        response.setContentType("text/plain");
        String line = before + " " + state.counter() + " " + stampBefore + " " + (whole ? "whole" : "torn") + "\n";
        ServletOutputStream out = response.getOutputStream();
        AsyncContext async = request.startAsync();
        out.write(line.getBytes(StandardCharsets.US_ASCII));
        out.flush();
        next(async, out, PIECES, () -> {
            state.change(change, stamp, ThreadLocalRandom.current());
            session.setAttribute(NAME, state);
        });
    }

    private void next(AsyncContext async, ServletOutputStream out, int left, Runnable atEnd) {
        pieces.schedule(
                () -> {
                    try {
                        if (left == 0) {
                            atEnd.run();
                            async.complete();
                            return;
                        }
                        out.write(PIECE);
                        out.flush();
                        next(async, out, left - 1, atEnd);
                    } catch (IOException | RuntimeException e) {
                        // The client is gone, or the session could not be written: the client must see it, not wait.
                        log("a download broke off", e);
                        async.complete();
                    }
                },
                50,
                TimeUnit.MILLISECONDS);
    }

    @Override
    public void destroy() {
        pieces.shutdownNow();
    }
}
