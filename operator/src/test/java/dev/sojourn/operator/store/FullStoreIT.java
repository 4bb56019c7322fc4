package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.store.StoreConnections.Session;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real server drops when it is full. */
class FullStoreIT {

    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String CLAIM = "{s}claim";
    private static final String CART = "x".repeat(10_000);

    private final Vertx vertx = Vertx.vertx();
    private final StoreConnections connections = new StoreConnections(vertx, 60_000);

    @AfterEach
    void end() {
        vertx.close();
    }

    @Test
    void oldSessionsGoBeforeAClaimThatIsRenewed(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(connections, scratch);
                var store = connections.open(server.address().toString(), StoreServer.NOBODY, 1)) {
            store.ask(Request.of("CLUSTER").arg("ADDSLOTSRANGE").arg(0).arg(16_383));
            await(() -> info(store, "cluster_state").equals("ok"));
            set(store, "maxmemory", String.valueOf(16 << 20));
            set(store, "maxmemory-policy", policy());
            // It looks at so many before it drops one: none of few keys is lucky.
            set(store, "maxmemory-samples", "64");

            for (int n = 0; n < 1000; n++) {
                put(store, "{s}old" + n, CART, 7200);
            }
            await(() -> idleSeconds(store, "{s}old999") >= 1);
            put(store, CLAIM, "pod", 60);
            for (int n = 0; n < 1000; n++) {
                put(store, "{s}new" + n, CART, 7200);
                assertThat(store.ask(Request.of("EXISTS").arg(CLAIM)))
                        .as("the claim, when new session %s came", n)
                        .hasToString("1");
                put(store, CLAIM, "pod", 60);
            }
            assertThat(Long.parseLong(info(store, "evicted_keys"))).isPositive();
        }
    }

    private static String policy() {
        return ValkeyConf.render(ManagedStoreSpec.defaults())
                .lines()
                .filter(line -> line.startsWith("maxmemory-policy "))
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .findFirst()
                .orElseThrow();
    }

    private static void set(Session store, String setting, String value) {
        store.ask(Request.of("CONFIG").arg("SET").arg(setting).arg(value));
    }

    private static void put(Session store, String key, String value, int seconds) {
        store.ask(Request.of("SETEX").arg(key).arg(seconds).arg(value));
    }

    private static int idleSeconds(Session store, String key) {
        return Integer.parseInt(
                String.valueOf(store.ask(Request.of("OBJECT").arg("IDLETIME").arg(key))));
    }

    private static String info(Session store, String field) {
        var everything = store.ask(Request.of("INFO")) + "\n"
                + store.ask(Request.of("CLUSTER").arg("INFO"));
        return everything
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .findFirst()
                .orElseThrow();
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        var deadline = Instant.now().plus(DEADLINE);
        while (!condition.call()) {
            assertThat(Instant.now()).isBefore(deadline);
            Thread.sleep(20);
        }
    }
}
