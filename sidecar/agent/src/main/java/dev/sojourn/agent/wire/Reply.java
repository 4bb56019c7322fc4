package dev.sojourn.agent.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One RESP2 reply. */
public final class Reply {
    public enum Kind {
        STATUS,
        ERROR,
        INTEGER,
        BULK,
        ARRAY
    }

    public final Kind kind;
    private final long integer;
    private final byte @Nullable [] bytes;
    private final @Nullable List<Reply> elements;

    private Reply(Kind kind, long integer, byte @Nullable [] bytes, @Nullable List<Reply> elements) {
        this.kind = kind;
        this.integer = integer;
        this.bytes = bytes;
        this.elements = elements;
    }

    static Reply line(Kind kind, byte[] text) {
        return new Reply(kind, 0, text, null);
    }

    static Reply integer(long value) {
        return new Reply(Kind.INTEGER, value, null, null);
    }

    static Reply bulk(byte @Nullable [] value) {
        return new Reply(Kind.BULK, 0, value, null);
    }

    static Reply array(@Nullable List<Reply> elements) {
        return new Reply(Kind.ARRAY, 0, null, elements);
    }

    /** A null bulk string or a null array. */
    public boolean isNull() {
        return kind == Kind.BULK && bytes == null || kind == Kind.ARRAY && elements == null;
    }

    public long integer() throws BrokenReply {
        if (kind != Kind.INTEGER) {
            throw new BrokenReply("an integer was expected, not " + kind);
        }
        return integer;
    }

    public byte @Nullable [] bytes() throws BrokenReply {
        if (kind == Kind.INTEGER || kind == Kind.ARRAY) {
            throw new BrokenReply("a string was expected, not " + kind);
        }
        return bytes;
    }

    public String text() throws BrokenReply {
        byte[] raw = bytes();
        return raw == null ? "" : new String(raw, StandardCharsets.UTF_8);
    }

    public List<Reply> elements() throws BrokenReply {
        if (kind != Kind.ARRAY || elements == null) {
            throw new BrokenReply("an array was expected, not " + kind);
        }
        return elements;
    }
}
