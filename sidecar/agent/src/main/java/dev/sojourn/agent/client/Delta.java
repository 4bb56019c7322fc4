package dev.sojourn.agent.client;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What changed between two values of one attribute, as byte ranges; the bytes are those of {@code store.md}. A delta
 * names the length that it applies to and a checksum of what comes out, so it cannot be applied to anything else unnoticed.
 */
public final class Delta {
    /** Shorter values are sent whole. */
    private static final int SHORTEST_VALUE = 512;
    /** A run of equal bytes shorter than this costs more to leave out than to send. */
    private static final int SHORTEST_GAP = 8;

    private static final int MAX_RANGES = 256;
    /** A delta of at most this part of the value is told as it is, whatever a search could find. */
    private static final int LITTLE = 16;

    private Delta() {}

    /**
     * Null where writing the value whole costs about as little, or where bytes have moved: the daemon searches for those, and takes what it is told as it is.
     */
    public static byte @Nullable [] between(byte[] old, byte[] now) {
        if (now.length < SHORTEST_VALUE || old.length < SHORTEST_VALUE) {
            return null;
        }
        Ranges ranges = new Ranges(old, now);
        boolean found = old.length == now.length ? ranges.inPlace() : ranges.oneInTheMiddle();
        return found && !ranges.mayBeLess() ? ranges.encoded() : null;
    }

    /**
     * One delta after the other, in one copy where they leave the length as it is. Null if {@code old} is not the value that the first was made
     * from, or one is not made from what the one before it leads to, or is no delta. The last one's checksum tells.
     */
    public static byte @Nullable [] apply(byte[] old, List<byte[]> deltas) {
        try {
            byte[] now = old;
            int check = 0;
            for (byte[] delta : deltas) {
                Reader reader = new Reader(delta);
                now = reader.apply(now, now != old);
                if (now == null) {
                    return null;
                }
                check = reader.check;
            }
            return now == old || check(now) == check ? now : null;
        } catch (IndexOutOfBoundsException | NegativeArraySizeException | ArithmeticException e) {
            return null;
        }
    }

    private static int check(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, bytes.length);
        return (int) crc.getValue();
    }

    /** Where the values differ; what is new is copied once, when all of it is known. */
    private static final class Ranges {
        private static final int FIELDS = 3;
        /** About what it takes to say where one is. */
        private static final int HEAD = 4;

        private final byte[] old;
        private final byte[] now;
        /** Of each: where it begins in the old bytes, how many go, how many come. */
        private int[] fields = new int[4 * FIELDS];

        private int count;
        /** About what they take. */
        private int size;

        Ranges(byte[] old, byte[] now) {
            this.old = old;
            this.now = now;
        }

        /** A search could come up with less than what was found here. What is little is not worth one. */
        boolean mayBeLess() {
            if (size <= now.length / LITTLE) {
                return false;
            }
            Moved moved = new Moved(old, now.length);
            for (int field = 0; field < count * FIELDS; field += FIELDS) {
                moved.removed(fields[field], fields[field + 1]);
            }
            int last = (count - 1) * FIELDS;
            int tail = old.length - fields[last] - fields[last + 1];
            return moved.isIn(now, fields[0], now.length - tail);
        }

        boolean inPlace() {
            int length = now.length;
            int start = Mismatch.find(old, now, 0, length);
            while (start < length) {
                int end = endOfDifference(start + 1);
                if (!add(start, end - start, end - start)) {
                    return false;
                }
                start = Mismatch.find(old, now, end, length);
            }
            return true;
        }

        /** A gap that counts has one of any {@link #SHORTEST_GAP} places in a row, so only so many of what differs are looked at. */
        private int endOfDifference(int from) {
            int after = from;
            int probe = after + SHORTEST_GAP - 1;
            while (probe < now.length) {
                int equal = probe;
                while (equal >= after && old[equal] == now[equal]) {
                    equal--;
                }
                if (equal < after) {
                    return after;
                }
                after = equal + 1;
                probe = after + SHORTEST_GAP - 1;
            }
            int end = now.length;
            while (end > after && old[end - 1] == now[end - 1]) {
                end--;
            }
            return end;
        }

        boolean oneInTheMiddle() {
            int shorter = Math.min(old.length, now.length);
            int prefix = Mismatch.find(old, now, 0, shorter);
            int suffix = 0;
            while (suffix < shorter - prefix && old[old.length - 1 - suffix] == now[now.length - 1 - suffix]) {
                suffix++;
            }
            return add(prefix, old.length - prefix - suffix, now.length - prefix - suffix);
        }

        private boolean add(int offset, int going, int coming) {
            int field = count * FIELDS;
            if (field == fields.length) {
                fields = Arrays.copyOf(fields, 2 * field);
            }
            fields[field] = offset;
            fields[field + 1] = going;
            fields[field + 2] = coming;
            count++;
            size += HEAD + coming;
            return count <= MAX_RANGES && size < now.length - now.length / 4;
        }

        byte[] encoded() {
            ByteArrayOutputStream out = new ByteArrayOutputStream(size + 16);
            number(out, old.length);
            int check = check(now);
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.write(check >>> shift);
            }
            number(out, count);
            int end = 0;
            int from = 0;
            for (int field = 0; field < count * FIELDS; field += FIELDS) {
                int kept = fields[field] - end;
                int going = fields[field + 1];
                int coming = fields[field + 2];
                number(out, kept);
                number(out, going);
                number(out, coming);
                out.write(now, from + kept, coming);
                end = fields[field] + going;
                from += kept + coming;
            }
            return out.toByteArray();
        }

        /** LEB128. */
        private static void number(ByteArrayOutputStream out, int number) {
            int rest = number;
            while (rest > 0x7f) {
                out.write(rest & 0x7f | 0x80);
                rest >>>= 7;
            }
            out.write(rest);
        }
    }

    private static final class Reader {
        private final byte[] delta;
        private int at;
        /** Of what comes out. */
        private int check;
        /** What comes out is as long as what went in, and so is each range. */
        private boolean inPlace = true;

        Reader(byte[] delta) {
            this.delta = delta;
        }

        /** Null where it does not fit. {@code mine}: the old bytes are nobody else's, and may become the new ones. */
        byte @Nullable [] apply(byte[] old, boolean mine) {
            if (number() != old.length) {
                return null;
            }
            for (int i = 0; i < 4; i++) {
                check = check << 8 | delta[at++] & 0xff;
            }
            int count = number();
            int length = length(old.length, at, count);
            // What stays where it is need not be moved, which is most of it: nor is a copy filled with zeros first.
            byte[] now = mine && inPlace ? old : Arrays.copyOf(old, length);
            int from = 0;
            int to = 0;
            for (int i = 0; i < count; i++) {
                int kept = number();
                if (from != to) {
                    System.arraycopy(old, from, now, to, kept);
                }
                int removed = number();
                int inserted = number();
                System.arraycopy(delta, at, now, to + kept, inserted);
                at += inserted;
                from += kept + removed;
                to += kept + inserted;
            }
            if (from != to) {
                System.arraycopy(old, from, now, to, old.length - from);
            }
            return at == delta.length && to + old.length - from == now.length ? now : null;
        }

        /** What comes out has this many bytes; never more than old and delta together. */
        private int length(int oldLength, int ranges, int count) {
            int length = oldLength;
            for (int i = 0; i < count; i++) {
                number();
                int removed = number();
                int inserted = number();
                inPlace &= removed == inserted;
                length += inserted - removed;
                at = Math.addExact(at, inserted);
                if (at > delta.length) {
                    throw new IndexOutOfBoundsException();
                }
            }
            at = ranges;
            return length;
        }

        private int number() {
            int number = 0;
            for (int shift = 0; shift < 32; shift += 7) {
                int next = delta[at++];
                number |= (next & 0x7f) << shift;
                if (next >= 0) {
                    if (number < 0) {
                        throw new IndexOutOfBoundsException();
                    }
                    return number;
                }
            }
            throw new IndexOutOfBoundsException();
        }
    }
}
