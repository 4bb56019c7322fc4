package dev.sojourn.operator.inject;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of requests, as they come in. Whoever reaches the port may send some, and the JVM that has no memory left for all of them ends: no pod starts meanwhile. For
 * what is too much the oldest goes, not the newest: an API server's is whole within milliseconds, and were it refused for those that never end, whoever begins
 * enough of them would keep all pods from starting just as well.
 */
final class Bodies {

    private final Vertx vertx;
    private final int most;
    private final int mostOfAll;
    private final Duration patience;

    /** Oldest first. Guarded by this, as is the sum of their bytes. */
    private final Map<HttpServerRequest, Buffer> open = new LinkedHashMap<>();

    private int bytes;

    /** {@code most}: bytes of one; {@code patience}: for all of one to come in. */
    Bodies(Vertx vertx, int most, int mostOfAll, Duration patience) {
        this.vertx = vertx;
        this.most = most;
        this.mostOfAll = mostOfAll;
        this.patience = patience;
    }

    /** Tells of the body once all of it is there. */
    void read(HttpServerRequest request, Consumer<Buffer> whole) {
        open(request);
        var late = vertx.setTimer(patience.toMillis(), timer -> giveUp(request));
        request.handler(chunk -> add(request, chunk));
        request.exceptionHandler(gone -> {
            vertx.cancelTimer(late);
            close(request);
        });
        request.endHandler(end -> {
            vertx.cancelTimer(late);
            var body = close(request);
            if (body != null) {
                whole.accept(body);
            }
        });
    }

    private synchronized void open(HttpServerRequest request) {
        open.put(request, Buffer.buffer());
    }

    private void add(HttpServerRequest request, Buffer chunk) {
        if (!take(request, chunk)) {
            request.response().setStatusCode(413).end();
            giveUp(request);
        }
        for (var oldest = tooMuch(); oldest != null; oldest = tooMuch()) {
            giveUp(oldest);
        }
    }

    /** False: it is longer than one may be. */
    private synchronized boolean take(HttpServerRequest request, Buffer chunk) {
        var body = open.get(request);
        if (body == null) {
            // Given up, and what is on its way still comes.
            return true;
        }
        body.appendBuffer(chunk);
        bytes += chunk.length();
        return body.length() <= most;
    }

    private synchronized @Nullable HttpServerRequest tooMuch() {
        return bytes > mostOfAll ? open.keySet().iterator().next() : null;
    }

    private void giveUp(HttpServerRequest request) {
        if (close(request) != null) {
            request.connection().close();
        }
    }

    private synchronized @Nullable Buffer close(HttpServerRequest request) {
        var body = open.remove(request);
        if (body != null) {
            bytes -= body.length();
        }
        return body;
    }
}
