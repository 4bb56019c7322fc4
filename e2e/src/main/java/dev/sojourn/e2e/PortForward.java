package dev.sojourn.e2e;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;

/** A {@code kubectl port-forward}: how a cluster that is not ours is reached. */
final class PortForward implements AutoCloseable {
    static final PortForward NONE = new PortForward(null, 0);

    private final @org.jspecify.annotations.Nullable Process process;
    private final int port;

    private PortForward(@org.jspecify.annotations.Nullable Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static PortForward to(String namespace, String target, int targetPort) {
        try {
            int port;
            try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            var process = new ProcessBuilder(
                            List.of("kubectl", "-n", namespace, "port-forward", target, port + ":" + targetPort))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            var forward = new PortForward(process, port);
            try {
                await("port-forward to " + target)
                        .atMost(Cluster.seconds(60))
                        .ignoreExceptions()
                        .until(() -> {
                            new Socket(InetAddress.getLoopbackAddress(), port).close();
                            return true;
                        });
            } catch (ConditionTimeoutException e) {
                forward.close();
                throw e;
            }
            return forward;
        } catch (IOException e) {
            throw new IllegalStateException("kubectl port-forward cannot be run: " + e.getMessage(), e);
        }
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroy();
        }
    }
}
