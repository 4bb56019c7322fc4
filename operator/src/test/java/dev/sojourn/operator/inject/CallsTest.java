package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CallsTest {

    private final Vertx vertx = Vertx.vertx();
    private final Calls calls = new Calls(vertx, 12_288);
    private final CountDownLatch answered = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        answered.countDown();
        await(vertx.close());
    }

    @Test
    void whoFindsNoRoomIsToldSoAtOnce() throws Exception {
        var first = waits(0);
        var second = waits(8192);
        var third = waits(0);
        assertThat(third.cause()).hasMessageContaining("too many calls");
        answered.countDown();
        await(first);
        await(second);
        assertThat(await(waits(12_288))).isTrue();
    }

    @Test
    void oneThatNobodyWaitsForAnyMoreTakesItsRoomAllTheSame() {
        var given = waits(12_288).timeout(1, TimeUnit.MILLISECONDS).toCompletionStage();
        assertThat(given.toCompletableFuture()).failsWithin(30, TimeUnit.SECONDS);
        assertThat(waits(0).cause()).hasMessageContaining("too many calls");
    }

    private Future<Boolean> waits(int bytes) {
        return calls.call(bytes, () -> answered.await(30, TimeUnit.SECONDS));
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
