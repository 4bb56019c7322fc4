package dev.sojourn.agent.client;

import dev.sojourn.agent.wire.ReplySource;
import java.io.EOFException;

/** Bytes in place of a socket. */
final class BytesSource implements ReplySource {
    private final byte[] bytes;
    private int at;

    BytesSource(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public int next() throws EOFException {
        if (at == bytes.length) {
            throw new EOFException();
        }
        return bytes[at++] & 0xff;
    }

    @Override
    public void fill(byte[] target) throws EOFException {
        if (bytes.length - at < target.length) {
            throw new EOFException();
        }
        System.arraycopy(bytes, at, target, 0, target.length);
        at += target.length;
    }

    boolean isExhausted() {
        return at == bytes.length;
    }
}
