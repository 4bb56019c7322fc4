package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreObserver.Answer;
import dev.sojourn.operator.store.StoreObserver.Server;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How stores are asked: a real server, and one that hangs. */
class StoreObserverIT {

    private static final int DEADLINE_MILLIS = 15_000;

    private final Vertx vertx = Vertx.vertx();
    // Longer than the operator waits: here the server that is well must answer, whatever else the machine does.
    private final StoreConnections connections = new StoreConnections(vertx, 6_000);
    private final StoreObserver observer = new StoreObserver(connections, new StoreMetrics(new SimpleMeterRegistry()));

    @AfterEach
    void end() {
        vertx.close();
    }

    @Test
    void aMemberOfAClusterSaysHowItIsAndWhomItSeesOnOneConnection(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(connections, scratch);
                var other = connections.open(server.address().toString(), StoreServer.NOBODY, 1)) {
            var before = connectionsReceived(other);
            var answers = observer.ask(
                    List.of(new Server("shop-store-0", server.address())),
                    StoreServer.NOBODY,
                    StoreObserver::inCluster);
            assertThat(answers).singleElement().satisfies(answer -> {
                assertThat(answer.node().pod()).isEqualTo("shop-store-0");
                assertThat(answer.node().primary()).isTrue();
                assertThat(answer.view()).contains("myself,master");
            });
            assertThat(connectionsReceived(other)).isEqualTo(before + 1);
        }
    }

    @Test
    void aServerThatHangsHoldsUpNoOtherAndKeepsNoConnection(@TempDir Path scratch) throws Exception {
        try (var hanging = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var server = StoreServer.start(connections, scratch)) {
            var answers = observer.ask(
                    List.of(
                            new Server("shop-store-0", new Address("127.0.0.1", hanging.getLocalPort())),
                            new Server("shop-store-1", server.address())),
                    StoreServer.NOBODY,
                    StoreObserver::alone);
            assertThat(answers).map(Answer::node).map(StoreNode::pod).containsExactly("shop-store-1");

            var taken = hanging.accept();
            taken.setSoTimeout(DEADLINE_MILLIS);
            // Reads until the other end is closed; one that stays open fails at the deadline.
            assertThat(taken.getInputStream().readAllBytes()).isNotEmpty();
        }
    }

    private static long connectionsReceived(StoreConnections.Session session) {
        var stats = String.valueOf(session.ask(Request.of("INFO").arg("stats")));
        return stats.lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow();
    }
}
