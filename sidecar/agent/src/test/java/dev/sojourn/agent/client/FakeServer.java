package dev.sojourn.agent.client;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A Unix socket that answers every request with the same bytes. */
final class FakeServer implements AutoCloseable {
    static final FakeServer NONE = new FakeServer();

    final Path path;
    volatile String answer = "";
    private final @Nullable ServerSocketChannel listener;
    private final Set<SocketChannel> accepted = ConcurrentHashMap.newKeySet();
    private volatile int connections;

    private FakeServer() {
        path = Path.of("/nowhere");
        listener = null;
    }

    FakeServer(Path path, String answer) throws IOException {
        this.path = path;
        this.answer = answer;
        Files.deleteIfExists(path);
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        daemon(() -> accept(listener));
    }

    int connections() {
        return connections;
    }

    private void accept(ServerSocketChannel from) {
        try {
            while (true) {
                SocketChannel channel = from.accept();
                connections++;
                accepted.add(channel);
                daemon(() -> serve(channel));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(SocketChannel channel) {
        ByteBuffer in = ByteBuffer.allocate(4_096);
        try {
            // The tests' requests are small: one read is one request.
            while (channel.read(in) >= 0) {
                in.clear();
                channel.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.US_ASCII)));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        if (listener != null) {
            listener.close();
            Files.deleteIfExists(path);
        }
        for (SocketChannel channel : accepted) {
            channel.close();
        }
    }
}
