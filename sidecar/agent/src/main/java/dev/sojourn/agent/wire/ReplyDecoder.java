package dev.sojourn.agent.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads one reply. Every length is checked before anything is allocated for it. */
public final class ReplyDecoder {
    static final int MAX_BULK = 16 << 20;
    static final int MAX_ELEMENTS = 1 << 17;
    private static final int MAX_LINE = 64 << 10;
    // The deepest answer of the protocol is an array within an array.
    private static final int MAX_DEPTH = 4;
    private static final int MAX_DIGITS = 19;

    private final ReplySource source;
    private byte[] line = new byte[128];

    public ReplyDecoder(ReplySource source) {
        this.source = source;
    }

    public Reply read() throws IOException {
        return read(0);
    }

    private Reply read(int depth) throws IOException {
        int type = source.next();
        switch (type) {
            case '+':
                return Reply.line(Reply.Kind.STATUS, text());
            case '-':
                return Reply.line(Reply.Kind.ERROR, text());
            case ':':
                return Reply.integer(number());
            case '$':
                return bulk();
            case '*':
                return array(depth);
            default:
                throw new BrokenReply("unknown type byte " + type);
        }
    }

    private Reply bulk() throws IOException {
        long length = number();
        if (length == -1) {
            return Reply.bulk(null);
        }
        if (length < 0 || length > MAX_BULK) {
            throw new BrokenReply("bulk length " + length);
        }
        byte[] value = new byte[(int) length];
        source.fill(value);
        if (source.next() != '\r' || source.next() != '\n') {
            throw new BrokenReply("bulk string without CRLF");
        }
        return Reply.bulk(value);
    }

    private Reply array(int depth) throws IOException {
        long count = number();
        if (count == -1) {
            return Reply.array(null);
        }
        if (count < 0 || count > MAX_ELEMENTS) {
            throw new BrokenReply("array length " + count);
        }
        if (depth == MAX_DEPTH) {
            throw new BrokenReply("arrays too deep");
        }
        // The count is only a claim until the elements are there.
        List<Reply> elements = new ArrayList<>((int) Math.min(count, 64));
        for (int i = 0; i < count; i++) {
            elements.add(read(depth + 1));
        }
        return Reply.array(elements);
    }

    private long number() throws IOException {
        int length = readLine();
        int digits = length > 0 && line[0] == '-' ? 1 : 0;
        if (length == digits || length - digits > MAX_DIGITS) {
            throw new BrokenReply("not a number");
        }
        long value = 0;
        for (int i = digits; i < length; i++) {
            int digit = line[i] - '0';
            if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
                throw new BrokenReply("not a number");
            }
            value = value * 10 + digit;
        }
        return digits == 1 ? -value : value;
    }

    private byte[] text() throws IOException {
        int length = readLine();
        // Not before: reading may have replaced the buffer.
        return Arrays.copyOf(line, length);
    }

    private int readLine() throws IOException {
        int length = 0;
        while (true) {
            int next = source.next();
            if (next == '\r') {
                if (source.next() != '\n') {
                    throw new BrokenReply("CR without LF");
                }
                return length;
            }
            if (next == '\n' || length == MAX_LINE) {
                throw new BrokenReply(next == '\n' ? "LF without CR" : "line too long");
            }
            if (length == line.length) {
                line = Arrays.copyOf(line, length * 2);
            }
            line[length++] = (byte) next;
        }
    }
}
