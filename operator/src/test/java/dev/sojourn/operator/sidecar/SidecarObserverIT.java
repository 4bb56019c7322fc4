package dev.sojourn.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.sun.net.httpserver.HttpServer;
import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.sidecar.SidecarHealth.State;
import dev.sojourn.operator.sidecar.SidecarObserver.Sidecar;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Real sockets, at one port of many addresses, as pods have it. What a real sidecar says is in the daemon's tests and e2e. */
class SidecarObserverIT {

    private final Vertx vertx = Vertx.vertx();
    private final int port;
    private final SidecarObserver observer;
    private final SessionCluster primary = new SessionCluster();
    private final List<HttpServer> servers = new ArrayList<>();

    SidecarObserverIT() throws IOException {
        port = FreePort.take();
        observer = new SidecarObserver(vertx, port);
        primary.setMetadata(
                new ObjectMetaBuilder().withNamespace("shop").withName("web").build());
    }

    @AfterEach
    void end() {
        servers.forEach(server -> server.stop(0));
        vertx.close();
    }

    @Test
    void tellsWhatThoseSayThatAnswer() throws Exception {
        says("127.0.0.11", 200, "{\"state\":\"up\"}");
        says(
                "127.0.0.12",
                200,
                "{\"state\":\"down\",\"seconds\":12,\"kind\":\"tls\",\"message\":\"m\",\"mend\":\"n\",\"new\":1}");
        says("127.0.0.13", 404, "{\"state\":\"up\"}");
        says("127.0.0.14", 200, "{\"state\":\"up\"}" + " ".repeat(9000));
        says("127.0.0.15", 200, "<html>");
        try (var hanging = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.16"))) {
            assertThat(hanging.isBound()).isTrue();
            var sidecars = List.of(
                    new Sidecar("up", "127.0.0.11"),
                    new Sidecar("down", "127.0.0.12"),
                    new Sidecar("older", "127.0.0.13"),
                    new Sidecar("endless", "127.0.0.14"),
                    new Sidecar("stranger", "127.0.0.15"),
                    new Sidecar("hanging", "127.0.0.16"),
                    new Sidecar("gone", "127.0.0.17"));
            var look = look(sidecars, 2);
            assertThat(look.asked()).isEqualTo(7);
            assertThat(look.answers())
                    .containsOnly(
                            entry("up", new SidecarHealth(State.Up, 0, null, null, null, 0)),
                            entry("down", new SidecarHealth(State.Down, 12, "tls", "m", "n", 0)));
        }
    }

    @Test
    void asksHundreds() throws Exception {
        var sidecars = new ArrayList<Sidecar>();
        for (int i = 1; i <= 200; i++) {
            sidecars.add(new Sidecar("web-" + i, "127.0.1." + i));
        }
        // One socket for them all.
        says("0.0.0.0", 200, "{\"state\":\"up\"}");
        assertThat(look(sidecars, 200).answers()).hasSize(200);
    }

    /** The first that has so many answers: where all stands still a round comes too late to some. */
    private SidecarLook look(List<Sidecar> sidecars, int answers) throws InterruptedException {
        var deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        var look = observer.observe(primary, sidecars);
        while (look.answers().size() < answers && System.nanoTime() < deadline) {
            Thread.sleep(10);
            look = observer.observe(primary, sidecars);
        }
        return look;
    }

    private void says(String address, int status, String text) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(address, port), 0);
        server.createContext("/storez", exchange -> {
            var bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        servers.add(server);
    }
}
