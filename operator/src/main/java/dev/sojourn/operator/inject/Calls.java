package dev.sojourn.operator.inject;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;

/**
 * Calls of the API server, on threads that may wait for it. While it is slow what waits for its turn is held in memory, and whoever reaches the
 * webhook's port may send more: there is room for so many bytes, and who finds none gets no turn.
 */
final class Calls {

    /** What the smallest takes. */
    private static final int LEAST_BYTES = 4096;

    private final Vertx vertx;
    private final Semaphore room;

    Calls(Vertx vertx, int mostBytes) {
        this.vertx = vertx;
        this.room = new Semaphore(mostBytes);
    }

    /** {@code bytes}: what it holds on to until it is over, whether anybody still waits for it or not. */
    <T> Future<T> call(int bytes, Callable<T> call) {
        var taken = Math.max(bytes, LEAST_BYTES);
        if (!room.tryAcquire(taken)) {
            return Future.failedFuture("too many calls wait for the API server");
        }
        // Who hears the answer finds the room: beside each other the two would have no order.
        return vertx.executeBlocking(call, false).eventually(() -> {
            room.release(taken);
            return Future.succeededFuture();
        });
    }
}
