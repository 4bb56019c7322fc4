package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.ReplyDecoder;
import dev.sojourn.agent.wire.ReplySource;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** One blocking connection: one thread writes at a time, and one reads. */
final class Connection implements Closeable, ReplySource {
    private static final int BUFFER = 16 << 10;

    /**
     * There is none outside the heap for another connection, or no thread to read it with. To try takes half a second and a collection of the whole heap, or memory
     * outside of it that only one gives back.
     */
    static final class NoMemory extends IOException {
        private static final long serialVersionUID = 1L;

        NoMemory(OutOfMemoryError cause) {
            this("no memory outside the heap for a connection: raise -XX:MaxDirectMemorySize", cause);
        }

        NoMemory(String what, OutOfMemoryError cause) {
            super(what, cause);
        }
    }

    private final SocketChannel channel;
    private final ByteBuffer in;
    // Any thread may be the one that writes, and of what is written from the heap the JDK keeps a copy outside of it
    // for each: with two hundred threads more than the 10 MB that buildpacks allow, and then the container itself has
    // none left.
    private final ByteBuffer out;
    private final ReplyDecoder decoder = new ReplyDecoder(this);
    final RequestEncoder encoder = new RequestEncoder();

    private final Address address;

    /** {@code slice}: as much as is written at a time. */
    Connection(Address address, int slice) throws IOException {
        this.address = address;
        channel = address.connect();
        try {
            // Outside the heap, and given back only when somebody collects: not for each try while nobody listens.
            in = ByteBuffer.allocateDirect(BUFFER);
            out = ByteBuffer.allocateDirect(slice);
        } catch (OutOfMemoryError e) {
            close();
            throw new NoMemory(e);
        }
        in.limit(0);
    }

    /** To be called first: proves that it may talk, where that is asked for; what the sidecar tells of itself. */
    Reply greet() throws IOException {
        String token = address.token();
        if (token != null) {
            encoder.begin(2).bulk("AUTH").bulk(token);
            Reply reply = exchange();
            if (reply.kind == Reply.Kind.ERROR) {
                throw new IOException("the sidecar refused the token: " + reply.text());
            }
        }
        Asks.hello(encoder);
        return exchange();
    }

    /** Sends what the encoder holds and waits for one reply. */
    Reply exchange() throws IOException {
        if (in.hasRemaining()) {
            throw new BrokenReply("bytes that no request asked for");
        }
        write(encoder);
        return decoder.read();
    }

    void write(RequestEncoder request) throws IOException {
        for (int at = 0; at < request.length(); at += out.capacity()) {
            out.clear();
            out.put(request.buffer(), at, Math.min(out.capacity(), request.length() - at))
                    .flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }
    }

    /** Waits as long as it takes. */
    Reply await() throws IOException {
        return decoder.read();
    }

    @Override
    public int next() throws IOException {
        if (!in.hasRemaining()) {
            refill();
        }
        return in.get() & 0xff;
    }

    @Override
    public void fill(byte[] target) throws IOException {
        int done = Math.min(in.remaining(), target.length);
        in.get(target, 0, done);
        while (done < target.length) {
            refill();
            int more = Math.min(in.remaining(), target.length - done);
            in.get(target, done, more);
            done += more;
        }
    }

    private void refill() throws IOException {
        in.clear();
        int read = channel.read(in);
        in.flip();
        if (read < 0) {
            throw new EOFException("the sidecar closed the connection");
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // Nothing is left to save on a connection that is given up.
        }
    }
}
