package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreProbe.Outcome;
import dev.sojourn.operator.store.StoreProbe.Target;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
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
        }
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
