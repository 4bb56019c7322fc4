package dev.sojourn.bench.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** One user's keep-alive connection to one node, opened at its first request and again after it broke. */
final class Connection {
    private final InetSocketAddress node;
    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private ByteBuffer out = ByteBuffer.allocate(0);
    private Response response = new Response();

    Connection(InetSocketAddress node) {
        this.node = node;
    }

    void send(Selector selector, User user, String request) throws IOException {
        out = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
        response = new Response();
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

    /** @return the response, once it is complete */
    @Nullable
    Response proceed(ByteBuffer buffer) throws IOException {
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
            if (response.read(buffer.flip())) {
                if (response.closes()) {
                    close();
                }
                return response;
            }
        }
        return null;
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
    }

    @Override
    public String toString() {
        return node.toString();
    }
}
