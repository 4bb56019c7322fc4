package dev.sojourn.agent.wire;

import java.io.IOException;

/** Where a reply's bytes come from; both methods throw {@link java.io.EOFException} at the end. */
public interface ReplySource {
    /** The next byte, 0 to 255. */
    int next() throws IOException;

    void fill(byte[] target) throws IOException;
}
