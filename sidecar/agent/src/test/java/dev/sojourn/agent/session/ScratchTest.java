package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import org.junit.jupiter.api.Test;

class ScratchTest {
    private final Serializer serializer =
            new Serializer(ScratchTest.class::getClassLoader, StreamFilter.of(""), n -> true);

    @Test
    void whatIsTheSameIsNotMadeAnew() throws IOException {
        int[] value = {1, 2, 3};
        byte[] before = serializer.write(value, null).bytes;
        assertSame(before, serializer.write(value, before).bytes);
        value[1]++;
        byte[] after = serializer.write(value, before).bytes;
        assertNotSame(before, after);
        assertSame(after, serializer.write(value, after).bytes);
        value[1]--;
        assertArrayEquals(before, serializer.write(value, after).bytes);
    }

    @Test
    void whatIsWrittenLaterLeavesItAlone() throws IOException {
        for (int length : new int[] {10, 10_000, 1 << 20}) {
            byte[] value = new byte[length];
            byte[] first = serializer.write(value, null).bytes;
            byte[] copy = first.clone();
            value[length / 2] = 1;
            serializer.write(value, first);
            serializer.write(value, null);
            assertArrayEquals(copy, first);
        }
    }

    /** An object may write others, by the same means, while it is written. */
    @Test
    void oneIsWrittenWithinAnother() throws IOException {
        Outer outer = new Outer(this);
        byte[] written = serializer.write(outer, null).bytes;
        assertSame(written, serializer.write(outer, written).bytes);
    }

    @Test
    void whatFailsInTheMiddleLeavesNothingBehind() throws IOException {
        byte[] expected = serializer.write("value", null).bytes;
        for (int i = 0; i < 3; i++) {
            try {
                serializer.write(new Object[] {new byte[1_000], new Object()}, null);
            } catch (IOException e) {
                // Not serializable.
            }
            assertArrayEquals(expected, serializer.write("value", null).bytes);
        }
    }

    private static final class Outer implements Serializable {
        private final transient ScratchTest test;

        Outer(ScratchTest test) {
            this.test = test;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.writeInt(7);
            out.writeObject(test.serializer.write(new int[100], null).bytes);
        }
    }
}
