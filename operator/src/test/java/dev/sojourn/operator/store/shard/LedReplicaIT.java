package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.store.Request;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Session;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.StoreServer;
import dev.sojourn.operator.store.shard.Step.Assign;
import dev.sojourn.operator.store.shard.Step.Follow;
import dev.sojourn.operator.store.shard.Step.Free;
import dev.sojourn.operator.store.shard.Step.Move;
import dev.sojourn.operator.store.shard.Step.TakeOver;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real primaries, each with a third of the slots, and a replica of the first and of the second. */
class LedReplicaIT {

    private static final Login LOGIN = new Login("default", "secret");
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Vertx vertx = Vertx.vertx();
    private final StoreConnections connections = new StoreConnections(vertx, 60_000);
    private final ShardHand hand = new ShardHand(connections, LOGIN, InstantSource.system());
    private final List<StoreServer> servers = new ArrayList<>();
    private final List<Session> sessions = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeEach
    void form() throws Exception {
        for (var i = 0; i < 5; i++) {
            var server = StoreServer.start(
                    connections, Files.createDirectory(directory.resolve("server-" + i)), "127.0.0.1", LOGIN);
            servers.add(server);
            sessions.add(connections.open(server.address().toString(), LOGIN, 1));
            set(i, "masterauth", "secret");
            set(i, "cluster-node-timeout", "2000");
            set(i, "cluster-require-full-coverage", "no");
            sessions.get(0)
                    .ask(cluster("MEET")
                            .arg("127.0.0.1")
                            .arg(server.address().port())
                            .arg(server.clusterPort()));
        }
        for (var i = 0; i < 3; i++) {
            take(new Assign(
                    myself(i),
                    IntStream.range(i * Member.SLOTS / 3, (i + 1) * Member.SLOTS / 3)
                            .boxed()
                            .toList()));
        }
        await(
                "a cluster",
                () -> IntStream.range(0, 5)
                        .allMatch(i -> view(i).stream()
                                                .filter(member -> member.connected() && member.isPrimary())
                                                .mapToInt(Member::slotCount)
                                                .sum()
                                        == Member.SLOTS
                                && view(i).size() == 5
                                && String.valueOf(sessions.get(i).ask(cluster("INFO")))
                                        .contains("cluster_state:ok")));
    }

    @AfterEach
    void end() {
        sessions.forEach(Session::close);
        servers.forEach(StoreServer::close);
        vertx.close();
    }

    /** The first primary has written far more than the second: its replica counts further than that one's. */
    @Test
    void isNotElectedBeforeItHasCopiedThoughItCountsFurther() throws Exception {
        var ofTheFirst = 3;
        var ofTheSecond = 4;
        follow(ofTheFirst, 0);
        follow(ofTheSecond, 1);
        write(0, "{" + tagOf(0) + "}", 1_000);
        write(1, "{" + tagOf(1) + "}", 10);
        assertThat(sessions.get(1).ask(Request.of("WAIT").arg(1).arg(10_000))).hasToString("1");
        // Nobody copies for a while: real data takes that long.
        set(1, "repl-diskless-sync", "yes");
        set(1, "repl-diskless-sync-delay", "600");

        take(new Follow(myself(ofTheFirst), myself(1)));
        await(
                "the others to know whom it follows",
                () -> follows(2, ofTheFirst, 1) && follows(ofTheSecond, ofTheFirst, 1));
        servers.get(1).close();

        await("a new primary", () -> serves(ofTheFirst) || serves(ofTheSecond));
        assertThat(serves(ofTheSecond))
                .as("the one that has everything is elected")
                .isTrue();
        assertThat(sessions.get(ofTheSecond).ask(Request.of("DBSIZE"))).hasToString("10");
    }

    /** The bar is against elections only. */
    @Test
    void takesOverWhereItIsToldTo() throws Exception {
        copy(3, 0);
        assertThat(myself(3).isBarred()).isTrue();
        await("the others to know whom it follows", () -> IntStream.range(0, 3).allMatch(i -> follows(i, 3, 0)));
        take(new TakeOver(myself(3)));
        await("the replica to take over", () -> serves(3));
    }

    /** Nothing of what it held comes back after a restart: the log on its disk has forgotten it, too. */
    @Test
    void becomesAnEmptyPrimaryThatTheOthersKnow() throws Exception {
        write(0, "{" + tagOf(0) + "}", 10);
        set(3, "appendonly", "yes");
        follow(3, 0);
        await("the others to know whom it follows", () -> follows(2, 3, 0));
        var id = myself(3).id();
        take(new Free(myself(3)));
        assertThat(myself(3).isPrimary()).isTrue();
        assertThat(sessions.get(3).ask(Request.of("DBSIZE"))).hasToString("0");
        await("it in the log on its disk", () -> logOf(3).contains("flushall"));
        // As its pod does.
        for (var i = 0; i < 3; i++) {
            sessions.get(3)
                    .ask(cluster("MEET")
                            .arg("127.0.0.1")
                            .arg(servers.get(i).address().port())
                            .arg(servers.get(i).clusterPort()));
        }
        await(
                "a cluster with it as a primary",
                () -> view(3).size() == 5
                        && IntStream.range(0, 3)
                                .allMatch(i -> view(i).stream()
                                        .anyMatch(member ->
                                                member.id().equals(id) && member.isPrimary() && member.connected())));
        take(new Move(myself(0), myself(3), List.of(myself(0).slots().nextSetBit(0))));
        await("a slot there", () -> myself(3).slotCount() == 1);
    }

    /** It was elected a moment ago. */
    @Test
    void whoServesIsNotEmptied() {
        write(0, "{" + tagOf(0) + "}", 10);
        assertThatThrownBy(() -> take(new Free(myself(0)))).isInstanceOf(StoreException.class);
        assertThat(sessions.get(0).ask(Request.of("DBSIZE"))).hasToString("10");
    }

    /** As its readiness probe does, it may be elected once it has copied. */
    private void follow(int replica, int primary) throws InterruptedException {
        copy(replica, primary);
        set(replica, "cluster-replica-no-failover", "no");
    }

    private void copy(int replica, int primary) throws InterruptedException {
        set(primary, "repl-diskless-sync-delay", "0");
        take(new Follow(myself(replica), myself(primary)));
        await(
                "a copy",
                () -> String.valueOf(
                                sessions.get(replica).ask(Request.of("INFO").arg("replication")))
                        .contains("master_link_status:up"));
    }

    private void write(int primary, String prefix, int count) {
        for (var i = 0; i < count; i++) {
            sessions.get(primary).ask(Request.of("SET").arg(prefix + i).arg("cart"));
        }
    }

    /** What a key has in braces for its slot to be this primary's. */
    private String tagOf(int primary) {
        var own = myself(primary).slots();
        return IntStream.range(0, 1_000)
                .mapToObj(String::valueOf)
                .filter(tag -> own.get(Integer.parseInt(
                        String.valueOf(sessions.get(0).ask(cluster("KEYSLOT").arg(tag))))))
                .findFirst()
                .orElseThrow();
    }

    private String logOf(int server) {
        try (var files = Files.list(directory.resolve("server-" + server + "/appendonlydir"))) {
            var text = new StringBuilder();
            for (var file : files.toList()) {
                text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
            }
            return text.toString().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            // One of them was just written anew.
            return "";
        }
    }

    private void set(int server, String name, String value) {
        sessions.get(server).ask(Request.of("CONFIG").arg("SET").arg(name).arg(value));
    }

    private boolean serves(int server) {
        return myself(server).isPrimary() && myself(server).slotCount() > 0;
    }

    private boolean follows(int asked, int replica, int primary) {
        var address = servers.get(replica).address();
        var id = idOf(primary);
        return view(asked).stream()
                .anyMatch(member -> member.address().equals(address) && id.equals(member.primaryId()));
    }

    private String idOf(int server) {
        var address = servers.get(server).address();
        return view(0).stream()
                .filter(member -> member.address().equals(address))
                .findFirst()
                .orElseThrow()
                .id();
    }

    private void take(Step step) {
        hand.take(step, List.of(), Instant.now().plus(DEADLINE));
    }

    private Member myself(int server) {
        var myself = view(server).stream().filter(Member::isMyself).findFirst().orElseThrow();
        // One that has met nobody yet does not know where it is.
        return new Member(
                myself.id(),
                myself.pod(),
                servers.get(server).address(),
                myself.flags(),
                myself.primaryId(),
                myself.connected(),
                myself.slots(),
                myself.migrating(),
                myself.importing());
    }

    private List<Member> view(int server) {
        return Member.parse(String.valueOf(sessions.get(server).ask(cluster("NODES"))));
    }

    private static Request cluster(String command) {
        return Request.of("CLUSTER").arg(command);
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        var deadline = Instant.now().plus(DEADLINE);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as("there is not " + what).isBefore(deadline);
            Thread.sleep(20);
        }
    }
}
