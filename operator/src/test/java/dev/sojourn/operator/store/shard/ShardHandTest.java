package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.shard.Step.Free;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that takes longer than the operator waits. */
class ShardHandTest {

    private static final int PATIENCE_MILLIS = 20_000;

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void end() {
        vertx.close();
    }

    /** Restarted with what its log still has, it would take slots for its own, or bring ended sessions back. */
    @Test
    void aReplicaThatTakesLongToBeEmptiedIsToldToForgetItsLogAllTheSame() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var told = CompletableFuture.supplyAsync(() -> everythingToldTo(silent));
            var hand = new ShardHand(
                    new StoreConnections(vertx, PATIENCE_MILLIS), new Login(null, null), InstantSource.system());
            var replica = Member.parse(
                            "0".repeat(40) + " 127.0.0.1:" + silent.getLocalPort() + "@1 slave - 0 0 1 connected")
                    .get(0);
            assertThatThrownBy(() -> hand.take(new Free(replica), List.of(), Instant.MAX))
                    .isInstanceOf(StoreException.class);
            assertThat(told.get(60, TimeUnit.SECONDS)).containsSubsequence("RESET", "FLUSHALL");
        }
    }

    /** It answers that it is there, and nothing else; it hangs up after the last that it waits for. */
    private static String everythingToldTo(ServerSocket silent) {
        var told = new StringBuilder();
        try (var connection = silent.accept()) {
            var from = connection.getInputStream();
            var chunk = new byte[1_000];
            while (told.indexOf("FLUSHALL") < 0) {
                var read = from.read(chunk);
                if (read < 0) {
                    break;
                }
                if (told.isEmpty()) {
                    connection.getOutputStream().write("+PONG\r\n".getBytes(StandardCharsets.UTF_8));
                }
                told.append(new String(chunk, 0, read, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            told.append(e);
        }
        return told.toString();
    }
}
