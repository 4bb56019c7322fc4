package dev.sojourn.agent.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Requests as RESP arrays of bulk strings, in one growing buffer that is used again. */
public final class RequestEncoder {
    private static final int INITIAL = 1_024;
    // What one large session needed is not kept for all the small ones after it.
    private static final int KEPT = 256 << 10;

    private static final byte[] NOTHING = {};

    private static final long UNTAGGED = -1;

    private byte[] buffer = NOTHING;
    private int length;
    private long tag = UNTAGGED;

    /** The request that {@link #begin} starts next can be answered out of turn. */
    public RequestEncoder tag(long with) {
        tag = with;
        return this;
    }

    /** Starts a request; exactly {@code elements} calls of {@code bulk} follow. */
    public RequestEncoder begin(int elements) {
        clear();
        if (tag == UNTAGGED) {
            return header('*', elements);
        }
        header('*', elements + 2).bulk("SJ.TAG").bulk(tag);
        tag = UNTAGGED;
        return this;
    }

    /** Forgets what it holds. Takes no memory: what has been sent must not seem to have failed for want of it. */
    public void clear() {
        length = 0;
        if (buffer.length > KEPT) {
            buffer = NOTHING;
        }
    }

    /** A request after those that are here. */
    public void append(RequestEncoder request) {
        ensure(request.length);
        System.arraycopy(request.buffer, 0, buffer, length, request.length);
        length += request.length;
    }

    public RequestEncoder bulk(byte[] value) {
        header('$', value.length);
        ensure(value.length + 2);
        System.arraycopy(value, 0, buffer, length, value.length);
        length += value.length;
        return line();
    }

    public RequestEncoder bulk(String value) {
        return bulk(value.getBytes(StandardCharsets.UTF_8));
    }

    public RequestEncoder bulk(long value) {
        int digits = digits(value);
        header('$', digits);
        return number(value, digits).line();
    }

    /** Valid until the next {@link #begin}. */
    public byte[] buffer() {
        return buffer;
    }

    public int length() {
        return length;
    }

    private RequestEncoder header(char type, long number) {
        ensure(1);
        buffer[length++] = (byte) type;
        return number(number, digits(number)).line();
    }

    /** Written in place: a request has twenty of them. */
    private RequestEncoder number(long number, int digits) {
        ensure(digits);
        long rest = number;
        for (int at = length + digits - 1; at >= length; at--) {
            // Not the negated number: the least of all has no counterpart.
            buffer[at] = (byte) ('0' + Math.abs(rest % 10));
            rest /= 10;
        }
        if (number < 0) {
            buffer[length] = '-';
        }
        length += digits;
        return this;
    }

    /** With the sign. */
    private static int digits(long number) {
        int digits = number < 0 ? 2 : 1;
        for (long rest = number / 10; rest != 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private RequestEncoder line() {
        ensure(2);
        buffer[length++] = '\r';
        buffer[length++] = '\n';
        return this;
    }

    private void ensure(int more) {
        if (buffer.length - length < more) {
            buffer = Arrays.copyOf(buffer, Math.max(Math.max(buffer.length * 2, INITIAL), length + more));
        }
    }
}
