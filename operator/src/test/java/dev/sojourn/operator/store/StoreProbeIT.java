package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.cert.Leaf;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreProbe.Outcome;
import dev.sojourn.operator.store.StoreProbe.Target;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store brought along: a real server, and one that hangs. */
class StoreProbeIT {

    private static final Login SIDECAR = new Login("sidecar", "secret");

    private final Vertx vertx = Vertx.vertx();
    private final StoreConnections connections = new StoreConnections(vertx, 10_000);
    private final StoreProbe probe = new StoreProbe(connections);

    @AfterEach
    void end() {
        vertx.close();
    }

    @Test
    void oneServerThatHangsIsNotTheStore(@TempDir Path scratch) throws Exception {
        try (var hanging = hanging();
                var server = StoreServer.start(connections, scratch)) {
            var result = probe("redis-cluster://" + at(hanging) + "," + server.address());
            assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreAnswers);
        }
    }

    @Test
    void aStoreWhoseServersAllHangCannotBeReached() throws Exception {
        try (var one = hanging();
                var other = hanging()) {
            var result = new StoreProbe(new StoreConnections(vertx))
                    .probe(target("redis-cluster://" + at(one) + "," + at(other)));
            assertThat(result.outcome()).isEqualTo(Outcome.StoreUnreachable);
            assertThat(result.message()).contains("no answer within");
        }
    }

    @Test
    void aStoreThatHangsHoldsUpNobodyWhoAsksForAnother() throws Exception {
        try (var hanging = hanging()) {
            hanging.setSoTimeout(5_000);
            var url = "redis://" + at(hanging);
            // Of the same hash: beside each other in any map.
            var asking = Stream.of("Aa", "BB")
                    .map(namespace -> new Target(url, namespace, StoreServer.NOBODY, StoreServer.NOBODY, null))
                    .map(target -> CompletableFuture.runAsync(() -> probe.probe(target)))
                    .toList();
            var accepted = new ArrayList<Socket>();
            for (var unused : asking) {
                accepted.add(hanging.accept());
            }
            for (var socket : accepted) {
                socket.close();
            }
            asking.forEach(CompletableFuture::join);
        }
    }

    @Test
    void whatTheFirstServerSaysIsSaid(@TempDir Path scratch) throws Exception {
        var login = new Login("default", "secret");
        try (var hanging = hanging();
                var server = StoreServer.start(connections, scratch, "::1", login)) {
            var result = probe("redis-cluster://" + server.address() + "," + at(hanging));
            assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreAuthFailed);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://store:99999",
                "redis://127.0.0.1:port",
                "redis-cluster://a:0,b:-1",
                "redis://[::1",
                "redis://:"
            })
    void whatIsNoAddressCannotBeReached(String url) {
        var result = probe(url);
        assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreUnreachable);
        assertThat(result.message()).contains(url);
    }

    @Test
    void whoMayNotSelectTheDatabaseIsTold(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(connections, scratch)) {
            permit(server, "-select");
            var other = probe("redis://" + server.address() + "/2", SIDECAR);
            assertThat(other.outcome()).as(other.message()).isEqualTo(Outcome.StoreAuthFailed);
            assertThat(other.message()).contains("store.md");
            // Where every connection begins.
            var first = probe("redis://" + server.address() + "/0", SIDECAR);
            assertThat(first.outcome()).as(first.message()).isEqualTo(Outcome.StoreAnswers);
        }
    }

    @Test
    void aStoreNeedNotTellItsVersion(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(connections, scratch)) {
            permit(server, "-info");
            var result = probe("redis://" + server.address(), SIDECAR);
            assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreAnswers);
            assertThat(result.servers())
                    .as("who does not say has not said that none were dropped")
                    .isEmpty();
        }
    }

    /** By all servers that are named, and not only by the first that answers. */
    @Test
    void aServerThatDropsKeysIsSaidTo(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(
                        connections,
                        folder(scratch, "full"),
                        "127.0.0.1",
                        StoreServer.NOBODY,
                        "--cluster-enabled",
                        "no",
                        "--maxmemory",
                        "8mb",
                        "--maxmemory-policy",
                        "volatile-lru");
                var other = StoreServer.start(connections, folder(scratch, "other"));
                var store = connections.open(server.address().toString(), StoreServer.NOBODY, 1)) {
            var clock = new AtomicReference<>(Instant.EPOCH);
            var looks = new StoreProbe(connections, clock::get);
            var url = "redis-cluster://" + other.address() + "," + server.address();
            await(looks, clock, url, servers -> servers.size() == 2);
            for (int n = 0; n < 1000; n++) {
                store.ask(Request.of("SETEX").arg("{s}" + n).arg(7200).arg("x".repeat(10_000)));
            }
            var servers = await(
                    looks,
                    clock,
                    url,
                    said -> said.stream().anyMatch(one -> one.fullness() == ServerMemory.Fullness.Drops));
            assertThat(servers)
                    .filteredOn(one -> one.fullness() == ServerMemory.Fullness.Drops)
                    .singleElement()
                    .satisfies(full -> {
                        assertThat(full.server()).isEqualTo(server.address().toString());
                        assertThat(full.dropped()).isPositive();
                        assertThat(full.policy()).isEqualTo("volatile-lru");
                    });
        }
    }

    /** Looks again and again, each time some seconds later by the operator's clock. */
    private static List<ServerMemory> await(
            StoreProbe probe, AtomicReference<Instant> clock, String url, Predicate<List<ServerMemory>> condition)
            throws InterruptedException {
        var deadline = Instant.now().plusSeconds(60);
        while (true) {
            clock.updateAndGet(now -> now.plusSeconds(6));
            var result = probe.probe(target(url));
            if (condition.test(result.servers())) {
                return result.servers();
            }
            assertThat(Instant.now()).as(result.toString()).isBefore(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void aSentinelSaysWhoThePrimaryIs(@TempDir Path scratch) throws Exception {
        try (var server = StoreServer.start(connections, folder(scratch, "server"));
                var sentinel =
                        StoreServer.sentinel(connections, folder(scratch, "sentinel"), "shop", server.address())) {
            var result = probe("redis-sentinel://" + sentinel.address() + "#shop");
            assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreAnswers);
            assertThat(result.servers())
                    .extracting(ServerMemory::server)
                    .containsExactly(server.address().toString());
            var other = probe("redis-sentinel://" + sentinel.address() + "#another");
            assertThat(other.outcome()).isEqualTo(Outcome.StoreUnreachable);
            assertThat(other.message()).contains("knows no address of a primary named another");
        }
    }

    @Test
    void aStoreIsTrustedByItsAuthorityAndItsName(@TempDir Path scratch) throws Exception {
        var leaf = Leaf.of("localhost");
        var port = FreePort.take();
        try (var server = StoreServer.start(
                connections,
                scratch,
                "127.0.0.1",
                StoreServer.NOBODY,
                "--tls-port",
                String.valueOf(port),
                "--tls-cert-file",
                written(scratch.resolve("certificate"), leaf.pair().certificate()),
                "--tls-key-file",
                written(scratch.resolve("key"), leaf.pair().key()),
                "--tls-ca-cert-file",
                written(scratch.resolve("ca"), leaf.authority()),
                "--tls-auth-clients",
                "no")) {
            var result = probeTls("localhost:" + port, leaf.authority());
            assertThat(result.outcome()).as(result.message()).isEqualTo(Outcome.StoreAnswers);
            var byAnother = probeTls("localhost:" + port, Leaf.of("localhost").authority());
            assertThat(byAnother.outcome()).isEqualTo(Outcome.StoreUnreachable);
            assertThat(byAnother.message()).contains("caSecret");
            assertThat(probeTls("127.0.0.1:" + port, leaf.authority()).outcome())
                    .as("it is not the name in the certificate")
                    .isEqualTo(Outcome.StoreUnreachable);
            assertThat(probeTls(server.address().toString(), leaf.authority()).outcome())
                    .as("no TLS is spoken there")
                    .isEqualTo(Outcome.StoreUnreachable);
        }
    }

    private static String written(Path file, String text) throws IOException {
        return Files.writeString(file, text).toString();
    }

    private static Path folder(Path scratch, String name) throws IOException {
        return Files.createDirectory(scratch.resolve(name));
    }

    private StoreProbe.Result probeTls(String server, String authority) {
        return probe.probe(new Target("rediss://" + server, "shop", StoreServer.NOBODY, StoreServer.NOBODY, authority));
    }

    /** Gives a user all rights but one. */
    private void permit(StoreServer server, String right) {
        try (var session = connections.open(server.address().toString(), StoreServer.NOBODY, 1)) {
            session.ask(Request.of("ACL")
                    .arg("SETUSER")
                    .arg("sidecar")
                    .arg("on")
                    .arg(">" + SIDECAR.password())
                    .arg("~*")
                    .arg("&*")
                    .arg("+@all")
                    .arg(right));
        }
    }

    private StoreProbe.Result probe(String url) {
        return probe.probe(target(url));
    }

    private StoreProbe.Result probe(String url, Login login) {
        return probe.probe(new Target(url, "shop", login, StoreServer.NOBODY, null));
    }

    private static Target target(String url) {
        return new Target(url, "shop", StoreServer.NOBODY, StoreServer.NOBODY, null);
    }

    /** Takes connections, and never answers. */
    private static ServerSocket hanging() throws IOException {
        return new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    }

    private static String at(ServerSocket socket) {
        return "127.0.0.1:" + socket.getLocalPort();
    }
}
