package dev.sojourn.agent.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A Unix socket that answers every tagged request with the same bytes. */
public final class FakeServer implements AutoCloseable {
    static final FakeServer NONE = new FakeServer();

    public final Path path;
    public volatile String answer = "";
    /** Answers with the request's last word, as a number; those that came together in the reverse order. */
    volatile boolean echo;
    /** Closes the connection over the next request, instead of an answer. */
    volatile boolean hangsUp;
    /** The requests, as they came. */
    public final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    /** What a greeting is answered. */
    volatile Supplier<String> greeting = () -> "*0\r\n";

    private volatile boolean shuffled;
    private final @Nullable ServerSocketChannel listener;
    private final Set<SocketChannel> accepted = ConcurrentHashMap.newKeySet();
    private volatile int connections;

    private FakeServer() {
        path = Path.of("/nowhere");
        listener = null;
    }

    public FakeServer(Path path, String answer) throws IOException {
        this.path = path;
        this.answer = answer;
        Files.deleteIfExists(path);
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(path));
        daemon(() -> accept(listener));
    }

    boolean shuffled() {
        return shuffled;
    }

    int connections() {
        return connections;
    }

    /** Says what nobody asked for. */
    void tell(String message) throws IOException {
        for (SocketChannel channel : accepted) {
            channel.write(ByteBuffer.wrap(message.getBytes(StandardCharsets.US_ASCII)));
        }
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
        try (var in = new BufferedReader(
                new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.ISO_8859_1))) {
            List<String> replies = new ArrayList<>();
            while (true) {
                List<String> request = request(in);
                asked.add(String.join(" ", request));
                if (hangsUp) {
                    hangsUp = false;
                    channel.close();
                    return;
                }
                replies.add(reply(request));
                if (!in.ready()) {
                    shuffled |= echo && replies.size() > 1;
                    Collections.reverse(replies);
                    channel.write(ByteBuffer.wrap(String.join("", replies).getBytes(StandardCharsets.US_ASCII)));
                    replies.clear();
                }
            }
        } catch (IOException | NullPointerException closed) {
            // The test is over, or the client has gone.
        }
    }

    private static List<String> request(BufferedReader in) throws IOException {
        List<String> words = new ArrayList<>();
        for (int left = Integer.parseInt(in.readLine().substring(1)); left > 0; left--) {
            StringBuilder word = new StringBuilder();
            for (int chars = Integer.parseInt(in.readLine().substring(1)); chars > 0; chars--) {
                word.append((char) in.read());
            }
            in.readLine();
            words.add(word.toString());
        }
        return words;
    }

    private String reply(List<String> words) {
        if (words.get(0).equals("HELLO")) {
            return greeting.get();
        }
        String reply = echo ? ":" + words.get(words.size() - 1) + "\r\n" : answer;
        return reply.isEmpty() ? "" : "*2\r\n:" + words.get(1) + "\r\n" + reply;
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
