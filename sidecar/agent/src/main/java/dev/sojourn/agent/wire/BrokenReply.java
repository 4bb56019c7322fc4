package dev.sojourn.agent.wire;

import java.io.IOException;

/** Bytes that are no reply of this protocol. The connection cannot be used any more: its place in the stream is lost. */
public final class BrokenReply extends IOException {
    private static final long serialVersionUID = 1L;

    public BrokenReply(String what) {
        super(what);
    }
}
