package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreProbe.Target;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody names as the store, to have the operator run out of memory: it ends then, and after each restart again. */
class HostileStoreTest {

    private static final Login NOBODY = new Login(null, null);
    private static final int PATIENCE_MILLIS = 30_000;

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void end() {
        vertx.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis://", "redis-sentinel://"})
    void whatIsAnnouncedIsNotSetAside(String scheme) throws Exception {
        for (var announced : new String[] {"*2147483647\r\n:1\r\n", "*100000000\r\n:1\r\n", "$500000000\r\nxxx"}) {
            assertThat(probe(scheme, announced, "", PATIENCE_MILLIS))
                    .contains("StoreUnreachable", "more than a Redis-compatible store");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*2\r\n$4\r\nshop\r\n$4\r\nport\r\n",
                "*2\r\n$4\r\nshop\r\n$5\r\n99999\r\n",
                "*2\r\n$0\r\n\r\n$4\r\n6379\r\n",
                "*1\r\n$4\r\nshop\r\n",
                "$-1\r\n"
            })
    void aSentinelsAnswerThatIsNoAddressIsSaidToBe(String answer) throws Exception {
        assertThat(probe("redis-sentinel://", answer, "", PATIENCE_MILLIS))
                .contains("StoreUnreachable", "knows no address of a primary named shop");
    }

    @Test
    void whatDoesNotEndIsNotKept() throws Exception {
        assertThat(probe("redis://", "+", "x".repeat(1 << 16), PATIENCE_MILLIS))
                .contains("StoreUnreachable", "more than a Redis-compatible store");
    }

    @Test
    void answersThatNobodyAskedForAreNotKept() throws Exception {
        // It comes to an end: that is when the operator hangs up.
        assertThat(probe("redis://", "", "+OK\r\n".repeat(1 << 12), PATIENCE_MILLIS))
                .isNotEmpty();
    }

    @Test
    void halfAnAnswerIsWaitedForNoLonger() throws Exception {
        assertThat(probe("redis://", "*2\r\n:1\r\n$7\r\nhal", "", 1_000))
                .contains("StoreUnreachable", "no answer within");
    }

    /** @param endless what comes after it, again and again, as long as the connection stands */
    private String probe(String scheme, String answer, String endless, int patienceMillis) throws Exception {
        try (var store = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var hungUp = CompletableFuture.runAsync(() -> answer(store, answer, endless));
            var url = scheme + "127.0.0.1:" + store.getLocalPort() + (scheme.contains("sentinel") ? "#shop" : "");
            var result = new StoreProbe(new StoreConnections(vertx, patienceMillis))
                    .probe(new Target(url, "shop", NOBODY, NOBODY, null));
            hungUp.get(60, TimeUnit.SECONDS);
            return result.outcome() + ": " + result.message();
        }
    }

    /** Ends when the operator has hung up. */
    private static void answer(ServerSocket store, String answer, String endless) {
        try (var connection = store.accept()) {
            var from = connection.getInputStream();
            var to = connection.getOutputStream();
            from.read();
            to.write(answer.getBytes(StandardCharsets.UTF_8));
            while (!endless.isEmpty()) {
                to.write(endless.getBytes(StandardCharsets.UTF_8));
            }
            from.readAllBytes();
        } catch (SocketException e) {
            // Hung up while there was something on the way.
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
