package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.config.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How Envoy listens, and how it ends. */
class EnvoyRunsIT extends BehindEnvoy {

    @Test
    void aNewCertificateIsTakenAndOpenConnectionsGoOn() throws Exception {
        start("{tls: {secretName: shop-tls}}");
        try (var open = Http1.tls(https())) {
            assertThat(open.certificate().getSubjectX500Principal().getName()).isEqualTo("CN=first");
            assertThat(open.get("/one").body()).isEqualTo("/one");
            envoy.rotate(ServerCertificate.make(ServerCertificate.Kind.RSA, "second"));
            envoy.until("new connections get the new certificate", () -> {
                try (var other = Http1.tls(https())) {
                    return other.certificate()
                            .getSubjectX500Principal()
                            .getName()
                            .equals("CN=second");
                }
            });
            assertThat(open.get("/two").body()).isEqualTo("/two");
        }
    }

    @Test
    void http2IsSpokenOverTlsAndByPriorKnowledge() throws Exception {
        start("{tls: {secretName: shop-tls}}");
        var client = HttpClient.newBuilder().sslContext(Http1.trusting()).build();
        // The JDK compares the host with the certificate, whoever is trusted.
        envoy.rotate(ServerCertificate.make(ServerCertificate.Kind.EC, "localhost"));
        envoy.until("the certificate is there", () -> {
            try (var other = Http1.tls(https())) {
                return other.certificate().getSubjectX500Principal().getName().equals("CN=localhost");
            }
        });
        var request = HttpRequest.newBuilder(URI.create("https://localhost:" + https() + "/two"));
        var response = client.send(request.build(), BodyHandlers.ofString());
        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.body()).isEqualTo("/two");

        try (var prior = Http1.plain(http())) {
            prior.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0");
            var frame = prior.read(9);
            assertThat((int) frame.charAt(3)).as("a SETTINGS frame").isEqualTo(4);
            var settings = prior.read(frame.charAt(1) << 8 | frame.charAt(2));
            assertThat(settings)
                    .as("ENABLE_CONNECT_PROTOCOL: WebSockets in streams")
                    .contains("\0\u0008\0\0\0\1");
        }
    }

    @Test
    void plainHttpIsSentToHttpsWithItsMethod() throws Exception {
        start("{tls: {secretName: shop-tls, redirect: true}, service: {port: 8080}}");
        try (var plain = Http1.plain(http())) {
            var response = plain.exchange("POST", "/cart?a=b", "content-length: 0");
            assertThat(response.status()).isEqualTo(308);
            assertThat(response.header("location")).isEqualTo("https://shop.example:443/cart?a=b");
            plain.write("GET / HTTP/1.1\r\nhost: shop.example:8080\r\n\r\n");
            assertThat(plain.receive().header("location")).isEqualTo("https://shop.example:443/");
        }
    }

    @Test
    void whereIpv6ComesFirstClientsOfBothFamiliesReachAPodOfIpv6() throws Exception {
        try (var pod = new Application(InetAddress.getByName("::1"), 0)) {
            start(with("{}"), IpFamily.IPv6, pod.port());
            for (var host : List.of("::1", "127.0.0.1")) {
                assertThat(status(host, EnvoyListener.HTTP_PORT, "/")).as(host).isEqualTo(200);
                assertThat(status(host, EnvoyListener.READY_PORT, "/ready"))
                        .as(host)
                        .isEqualTo(200);
            }
            envoy.route(with("{limits: {deny: [{cidr: 127.0.0.0/8}]}}"));
            assertThat(status("127.0.0.1", EnvoyListener.HTTP_PORT, "/"))
                    .as("known by its address of IPv4")
                    .isEqualTo(403);
            assertThat(status("::1", EnvoyListener.HTTP_PORT, "/")).isEqualTo(200);
        }
    }

    private int status(String host, int port, String path) throws IOException {
        try (var client = Http1.plain(InetAddress.getByName(host), envoy.port(port))) {
            return client.get(path).status();
        }
    }

    @Test
    void webSocketsGoThrough() throws Exception {
        start("{}");
        try (var socket = Http1.plain(http())) {
            socket.send(
                    "GET",
                    "/chat",
                    "connection: Upgrade",
                    "upgrade: websocket",
                    "sec-websocket-version: 13",
                    "sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==");
            assertThat(socket.receive().status()).isEqualTo(101);
            socket.write("hello");
            assertThat(socket.read(5)).isEqualTo("hello");
        }
    }

    @Test
    void aPodThatComesAsTheLastOneGoesIsAskedAsSoonAsItsCheckPasses() throws Exception {
        var port = FreePort.take();
        start(with("{}"), application.port());
        try (var client = Http1.plain(http())) {
            envoy.first("UNHEALTHY", port, application.port());
            envoy.first("DRAINING", application.port(), port);
            assertThat(client.get("/").status()).as("nobody listens yet").isEqualTo(503);
            try (var comes = new Application(port)) {
                envoy.until("the new pod answers", () -> client.get("/").status() == 200);
            }
        }
        assertThat(envoy.stat("cluster_manager.cluster_updated_via_merge"))
                .as("of what the checks found, held back")
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "Immediate, DRAINING, false",
        "Sticky, DRAINING, true",
        "Immediate, DEGRADED, false",
        "Sticky, DEGRADED, false"
    })
    void usersOfAPodThatIsNotWellMoveOrStay(String drain, String health, boolean stays) throws Exception {
        try (var other = new Application()) {
            start(with("{stickiness: Cookie}", drain), application.port(), other.port());
            try (var client = Http1.plain(http())) {
                var first = client.get("/");
                var pod = Integer.parseInt(first.header("x-pod"));
                var cookie = "cookie: " + first.header("set-cookie").split(";")[0];
                for (int i = 0; i < 10; i++) {
                    assertThat(client.get("/", cookie).header("x-pod")).isEqualTo("" + pod);
                }
                envoy.first(health, pod, pod == other.port() ? application.port() : other.port());
                for (int i = 0; i < 10; i++) {
                    assertThat(client.get("/", cookie).header("x-pod").equals("" + pod))
                            .as("stays")
                            .isEqualTo(stays);
                    assertThat(client.get("/").header("x-pod")).as("a new user").isNotEqualTo("" + pod);
                }
            }
        }
    }

    @Test
    void theAccessLogTellsNoSecrets() throws Exception {
        start("{accessLog: true}");
        try (var client = Http1.plain(http())) {
            client.get("/cart?token=hidden1", "cookie: JSESSIONID=hidden2");
            client.get("/cart;jsessionid=hidden3?a=b");
        }
        envoy.until("both are logged", () -> envoy.log().contains("not logged"));
        assertThat(envoy.log())
                .contains("\"path\":\"/cart\"", "\"status\":200", "\"flags\":\"-\"", "\"upstream\":\"127.0.0.1:")
                .doesNotContain("hidden");
    }

    @Test
    void itEndsWhenTheLastConnectionHasAndNotBefore() throws Exception {
        var daemon = System.getenv("SOJOURN_DAEMON");
        assumeTrue(daemon != null, "no daemon: set SOJOURN_DAEMON");
        start("{}");
        try (var idle = Http1.plain(http());
                var busy = Http1.plain(http())) {
            assertThat(idle.get("/").status()).isEqualTo(200);
            busy.send("GET", "/slow");
            assertThat(application.slowAsked.await(20, TimeUnit.SECONDS)).isTrue();
            var drain = new ProcessBuilder(
                            daemon,
                            "drain-envoy",
                            "--admin",
                            "127.0.0.1:" + envoy.port(EnvoyListener.ADMIN_PORT),
                            "--wait",
                            "5s",
                            "--deadline",
                            "60s")
                    .inheritIO()
                    .start();
            try {
                envoy.until(
                        "the check fails", () -> envoy.admin("GET", "/ready").startsWith("DRAINING"));
                try (var late = Http1.plain(http())) {
                    assertThat(late.get("/late").header("connection"))
                            .as("who comes before the load balancer has noticed is served, once")
                            .isEqualTo("close");
                }
                assertThat(status("127.0.0.1", EnvoyListener.READY_PORT, EnvoyRoutes.SERVING))
                        .as("who comes by the node's port is let through to a deleted pod only while it serves")
                        .isEqualTo(200);
                envoy.until("the listeners are closed, now that nobody comes any more", () -> !listens(http()));
                assertThat(drain.isAlive()).as("two connections are open").isTrue();
                var farewell = idle.get("/again");
                assertThat(farewell.status()).isEqualTo(200);
                assertThat(farewell.header("connection")).isEqualTo("close");
                assertThat(idle.isAtItsEnd()).isTrue();
                application.slow.countDown();
                assertThat(busy.receive().body()).isEqualTo("/slow");
                assertThat(drain.waitFor(20, TimeUnit.SECONDS)).isTrue();
                assertThat(drain.exitValue()).isZero();
            } finally {
                drain.destroy();
            }
        }
    }

    /** Asked without a connection, which would be somebody who comes. */
    private static boolean listens(int port) throws IOException {
        var local = Pattern.compile(" [0-9A-F]+:%04X [0-9A-F]+:0000 0A ".formatted(port));
        for (var table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (local.matcher(Files.readString(Path.of(table))).find()) {
                return true;
            }
        }
        return false;
    }
}
