package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.store.Address;
import dev.sojourn.operator.store.Request;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Session;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.StoreServer;
import dev.sojourn.operator.store.shard.Step.Assign;
import dev.sojourn.operator.store.shard.Step.Forget;
import dev.sojourn.operator.store.shard.Step.Move;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two real servers that become a cluster. */
class ShardHandIT {

    private static final Login LOGIN = new Login("default", "secret");
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();
    private final StoreConnections connections = new StoreConnections(vertx, 60_000);
    private final ShardHand hand = new ShardHand(connections, LOGIN, InstantSource.system());

    @TempDir
    Path one;

    @TempDir
    Path other;

    @AfterEach
    void end() {
        vertx.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void aSlotMovesWithItsSessions(String host) throws Exception {
        try (var from = StoreServer.start(connections, one, host, LOGIN);
                var to = StoreServer.start(connections, other, host, LOGIN);
                var asked = connections.open(from.address().toString(), LOGIN, 1);
                var target = connections.open(to.address().toString(), LOGIN, 1)) {
            asked.ask(cluster("MEET").arg(host).arg(to.address().port()).arg(to.clusterPort()));
            await(() -> myself(asked).address().equals(from.address())
                    && myself(target).address().equals(to.address())
                    && members(asked).equals(List.of(from.address(), to.address()))
                    && members(target).equals(List.of(from.address(), to.address())));

            var all = IntStream.range(0, Member.SLOTS).boxed().toList();
            take(new Assign(myself(asked), all));
            await(() -> isUp(asked) && isUp(target));
            asked.ask(Request.of("SET").arg("session").arg("cart"));
            var slot = Integer.parseInt(
                    asked.ask(cluster("KEYSLOT").arg("session")).text());
            take(new Move(myself(asked), myself(target), List.of(slot)));

            assertThat(target.ask(Request.of("GET").arg("session"))).hasToString("cart");
            assertThat(myself(target).slots().stream()).containsExactly(slot);
            assertThat(myself(asked).slotCount()).isEqualTo(Member.SLOTS - 1);
        }
    }

    @Test
    void whoSaysNothingKeepsNobodyFromForgetting() throws Exception {
        try (var there = StoreServer.start(connections, one, "127.0.0.1", LOGIN);
                var gone = StoreServer.start(connections, other, "127.0.0.1", LOGIN);
                var asked = connections.open(there.address().toString(), LOGIN, 1);
                var leaving = connections.open(gone.address().toString(), LOGIN, 1)) {
            asked.ask(
                    cluster("MEET").arg("127.0.0.1").arg(gone.address().port()).arg(gone.clusterPort()));
            await(() -> myself(asked).address().equals(there.address())
                    && members(asked).equals(List.of(there.address(), gone.address())));
            var forgotten = myself(leaving).id();
            var silent = Member.parse("0".repeat(40) + " 127.0.0.1:" + FreePort.take() + "@1 master - 0 0 1 connected")
                    .get(0);
            var deadline = Instant.now().plus(DEADLINE);
            assertThatThrownBy(() -> hand.take(new Forget(forgotten), List.of(silent, myself(asked)), deadline))
                    .isInstanceOf(StoreException.class);
            assertThat(view(asked)).extracting(Member::id).doesNotContain(forgotten);
            // Told again, it has nothing against it.
            take(new Forget(forgotten), myself(asked));
        }
    }

    private void take(Step step, Member... all) {
        hand.take(step, List.of(all), Instant.now().plus(DEADLINE));
    }

    private static Member myself(Session session) {
        return view(session).stream().filter(Member::isMyself).findFirst().orElseThrow();
    }

    /** Where those are that have shaken hands, in the order of their ports. */
    private static List<Address> members(Session session) {
        return view(session).stream()
                .filter(member -> member.connected() && !member.flags().contains("handshake"))
                .map(Member::address)
                .sorted(Comparator.comparingInt(Address::port))
                .toList();
    }

    private static List<Member> view(Session session) {
        return Member.parse(String.valueOf(session.ask(cluster("NODES"))));
    }

    /** Each finds out by itself: one that has not yet takes no sessions. */
    private static boolean isUp(Session session) {
        return String.valueOf(session.ask(cluster("INFO"))).contains("cluster_state:ok");
    }

    private static Request cluster(String command) {
        return Request.of("CLUSTER").arg(command);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        var deadline = Instant.now().plus(DEADLINE);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now())
                    .as("the servers have not become a cluster")
                    .isBefore(deadline);
            Thread.sleep(20);
        }
    }
}
