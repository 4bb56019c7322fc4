package dev.sojourn.operator.inject;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What API servers ask. They speak HTTP/1.1 to webhooks, keep a connection for minutes, and go on using one to a pod that ends: to cut
 * it while a pod is looked at would have that pod start without its sidecar, where the webhook's failures are ignored.
 */
final class Questions {

    /** API servers wait no longer for an answer. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long quietNanos;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile long askedNanos;
    private volatile boolean leaving;

    /** {@code quiet}: who has not asked for so long has gone elsewhere, or is not about to ask. */
    Questions(Duration quiet) {
        this.quietNanos = quiet.toNanos();
    }

    void begun(HttpServerRequest request) {
        underWay.incrementAndGet();
        askedNanos = System.nanoTime();
        var response = request.response();
        response.headersEndHandler(headers -> {
            if (leaving) {
                response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
            }
        });
        var first = new AtomicBoolean(true);
        Handler<Void> over = end -> {
            if (first.getAndSet(false)) {
                underWay.decrementAndGet();
            }
        };
        response.endHandler(over);
        // Whoever hangs up before gets none, and is not waited for.
        response.closeHandler(over);
    }

    /** From now on each answer asks to come no more on its connection. Returns when nobody has asked for a while. False: some have no answer yet. */
    boolean end() {
        var began = System.nanoTime();
        askedNanos = began;
        leaving = true;
        while (isBusy() && System.nanoTime() - began < PATIENCE_NANOS) {
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        return underWay.get() == 0;
    }

    private boolean isBusy() {
        return underWay.get() > 0 || System.nanoTime() - askedNanos < quietNanos;
    }
}
