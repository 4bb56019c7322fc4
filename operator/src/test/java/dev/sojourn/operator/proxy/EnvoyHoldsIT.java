package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** What Envoy holds, of uploads whose pod does not read them and of connections that are idle. */
class EnvoyHoldsIT extends BehindEnvoy {

    private static final Pattern ENVOYS = Pattern.compile("\\benvoy_[a-z_]+");
    private static final int UPLOADS = 64;
    private static final int CONNECTIONS = 20;
    private static final int STREAMS = 50;

    /** As many take more than 65 % of 32 MiB. */
    private static final int IDLE = 450;

    /** More than all buffers on the way. */
    private static final int UPLOAD_BYTES = 64 << 20;

    @Test
    void anUploadThatNoPodReadsCostsNotMoreThanItsBuffers() throws Exception {
        var uploads = new ArrayList<Http1>();
        try (var pod = new Silent()) {
            start(with("{}"), pod.port());
            var before = allocated();
            for (int i = 0; i < UPLOADS; i++) {
                uploads.add(begin());
            }
            envoy.until(
                    "Envoy reads on from none of them",
                    () -> envoy.stat("http.http.downstream_flow_control_paused_reading_total")
                                    - envoy.stat("http.http.downstream_flow_control_resumed_reading_total")
                            >= UPLOADS);
            assertThat((allocated() - before) / UPLOADS).isLessThan(256 << 10);
        } finally {
            for (var upload : uploads) {
                upload.close();
            }
        }
    }

    /** Of a flood that would take twice the memory that the container has. */
    @Test
    void beforeItsMemoryIsFullTheLargestUploadsEndAndEverybodyElseGoesOn() throws Exception {
        var flood = new ArrayList<Http2Uploads>();
        try (var pod = new Silent()) {
            start(with("{resources: {limits: {memory: 96Mi}}}"), pod.port());
            for (int i = 0; i < CONNECTIONS; i++) {
                flood.add(new Http2Uploads(http(), STREAMS));
            }
            envoy.until("uploads are reset", () -> {
                assertThat(allocated()).isLessThan(96 << 20);
                return flood.stream().mapToInt(uploads -> uploads.resets.get()).sum() > 0;
            });
            envoy.until("it is told of", () -> envoy.stat("envoy.overload_actions.reset_high_memory_stream.count") > 0);
            try (var kubelet = Http1.plain(envoy.port(EnvoyListener.READY_PORT))) {
                assertThat(kubelet.get(EnvoyRoutes.SERVING).status()).isEqualTo(200);
            }
            envoy.until("less is held again", () -> {
                assertThat(allocated()).isLessThan(96 << 20);
                return envoy.stat("overload.envoy.resource_monitors.fixed_heap.pressure") < 70;
            });
        } finally {
            for (var uploads : flood) {
                uploads.close();
            }
        }
    }

    /** An alert on a series that there is not never fires, and one that comes with its first event has no increase then. */
    @Test
    void whatAlertsAndTheDashboardAskOfEnvoyIsThereFromTheStart() throws Exception {
        var asked = new TreeSet<String>();
        for (var file : List.of("alerts.yaml", "dashboard.json")) {
            var text = Files.readString(Path.of("..", "charts", "sojourn", "monitoring", file));
            ENVOYS.matcher(text).results().forEach(hit -> asked.add(hit.group()));
        }
        assertThat(asked).isNotEmpty();
        start("{}");
        assertThat(envoy.admin("GET", "/stats/prometheus").lines().map(line -> line.replaceFirst("\\{.*", "")))
                .containsAll(asked);
    }

    @Test
    void connectionsOnWhichNobodyAsksForAnythingMakeRoomForThoseWhoDo() throws Exception {
        var idle = new ArrayList<Socket>();
        try {
            start("{tls: {secretName: shop-tls}, resources: {limits: {memory: 32Mi}}}");
            for (int i = 0; i < IDLE; i++) {
                idle.add(idleHttp2());
            }
            envoy.until("idle connections are closed", () -> envoy.stat("http.https.downstream_cx_idle_timeout") > 0);
            envoy.until("who asks is answered", () -> {
                try (var client = Http1.plain(http())) {
                    return client.get("/").status() == 200;
                }
            });
        } finally {
            for (var connection : idle) {
                connection.close();
            }
        }
    }

    /** Of HTTP/1.1 without TLS, which are as many as it accepts long before its memory is short. */
    @Test
    void wherePlainConnectionsAreAllThatItAcceptsIdleOnesMakeRoomToo() throws Exception {
        var idle = new ArrayList<Http1>();
        try {
            start("{resources: {limits: {memory: 64Mi}}}");
            for (int i = 0; i < 950; i++) {
                var client = Http1.plain(http());
                idle.add(client);
                assertThat(client.get("/").status()).isEqualTo(200);
            }
            envoy.until("idle connections are closed", () -> envoy.stat("http.http.downstream_cx_idle_timeout") > 0);
            assertThat(envoy.stat("overload.envoy.resource_monitors.fixed_heap.pressure"))
                    .isLessThan(40);
        } finally {
            for (var connection : idle) {
                connection.close();
            }
        }
    }

    /** After one request. */
    private Socket idleHttp2() throws IOException {
        var socket =
                (SSLSocket) Http1.trusting().getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), https());
        var parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        var settings = "\0\0\0\4\0\0\0\0\0";
        var get = "\0\0\21\1\5\0\0\0\1\202\207\204\1\14shop.example";
        socket.getOutputStream().write(("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + get).getBytes(ISO_8859_1));
        return socket;
    }

    private Http1 begin() throws IOException {
        var upload = Http1.plain(http());
        upload.send("POST", "/", "content-length: " + UPLOAD_BYTES);
        var thread = new Thread(() -> {
            try {
                for (int sent = 0; sent < UPLOAD_BYTES; sent += 1 << 16) {
                    upload.write("x".repeat(1 << 16));
                }
            } catch (IOException e) {
                // The test is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return upload;
    }

    private long allocated() throws Exception {
        return new ObjectMapper()
                .readTree(envoy.admin("GET", "/memory"))
                .path("allocated")
                .asLong();
    }

    /** A pod that takes connections and reads nothing. */
    private static final class Silent implements AutoCloseable {

        private final ServerSocket server = new ServerSocket();
        private final ConcurrentLinkedQueue<Socket> held = new ConcurrentLinkedQueue<>();

        Silent() throws IOException {
            server.setReceiveBufferSize(4096);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
            var thread = new Thread(() -> {
                try {
                    while (true) {
                        held.add(server.accept());
                    }
                } catch (IOException e) {
                    // Closed.
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return server.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            server.close();
            for (var socket : List.copyOf(held)) {
                socket.close();
            }
        }
    }
}
