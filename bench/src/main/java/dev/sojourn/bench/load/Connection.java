package dev.sojourn.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** One user's keep-alive connection to one node, opened at its first request and again after it broke. */
final class Connection {
    private final InetSocketAddress node;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private ByteBuffer out = ByteBuffer.allocate(0);
    /** In the order of the requests; of one that was taken for answered by its first line the rest may still come. */
    private final Deque<Response> expected = new ArrayDeque<>();

    private @Nullable Response asked;

    Connection(InetSocketAddress node) {
        this.node = node;
    }

    void send(Selector selector, User user, String request) throws IOException {
        out = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
        Response response = new Response();
        asked = response;
        expected.add(response);
        SocketChannel open = channel;
        if (open == null) {
            open = SocketChannel.open();
            channel = open;
            open.configureBlocking(false);
            open.socket().setTcpNoDelay(true);
            boolean connected = open.connect(node);
            key = open.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, user);
            if (!connected) {
                return;
            }
        }
        write(open);
    }

    private void write(SocketChannel open) throws IOException {
        open.write(out);
        if (key != null) {
            key.interestOps(out.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }
    }

    /**
     * @param early the first line of a body is enough
     * @return the response to what was asked last, once it is there
     */
    @Nullable
    Response proceed(ByteBuffer buffer, boolean early) throws IOException {
        SocketChannel open = channel;
        SelectionKey registered = key;
        if (open == null || registered == null) {
            throw new IOException("closed");
        }
        if (registered.isConnectable()) {
            open.finishConnect();
            write(open);
        } else if (registered.isWritable()) {
            write(open);
        } else if (registered.isReadable()) {
            buffer.clear();
            if (open.read(buffer) < 0) {
                throw new IOException("the server closed the connection");
            }
            return read(buffer.flip(), early);
        }
        return null;
    }

    private @Nullable Response read(ByteBuffer bytes, boolean early) throws IOException {
        Response answer = null;
        while (bytes.hasRemaining()) {
            Response first = expected.peek();
            if (first == null) {
                throw new IOException("bytes that no request asked for");
            }
            boolean complete = first.read(bytes);
            if (first == asked && (complete || early && first.hasLine())) {
                answer = first;
                asked = null;
            }
            if (complete) {
                expected.remove();
                if (first.closes()) {
                    close();
                }
            }
        }
        return answer;
    }

    /** Whether the rest of a response is still to come. */
    boolean expectsMore() {
        return !expected.isEmpty();
    }

    boolean is(SelectionKey other) {
        return key == other;
    }

    void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        channel = null;
        key = null;
        expected.clear();
        asked = null;
    }

    @Override
    public String toString() {
        return node.toString();
    }
}
