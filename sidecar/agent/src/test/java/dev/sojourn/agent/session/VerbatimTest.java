package dev.sojourn.agent.session;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectInputStream;
import java.io.ObjectOutput;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerbatimTest {
    private final Serializer serializer =
            new Serializer(VerbatimTest.class::getClassLoader, StreamFilter.of(""), name -> true);

    static class Above implements Serializable {
        private static final long serialVersionUID = 1L;
        long above = 7;
    }

    static final class Plain extends Above {
        private static final long serialVersionUID = 1L;
        int number;
        String text = "a";
        Object any;
        Object[] same;

        @Nullable
        Plain next;

        Plain(Object any) {
            this.any = any;
            same = new Object[] {any, any, this};
        }
    }

    static Object[] writtenAsRead() {
        Plain plain = new Plain(new Date(1));
        plain.next = new Plain(new int[] {1, 2});
        plain.next.next = plain;
        return new Object[] {
            plain,
            "text",
            Arrays.asList(1, 2L, 'c', 1.5, true, new byte[3]),
            new ArrayList<>(List.of("x", plain)),
            new LinkedList<>(List.of("x", "y")),
            new TreeMap<>(Map.of("x", plain, "y", 3)),
            new BigDecimal("-12345678901234567890.123"),
            new Object[] {BigDecimal.ONE, BigInteger.TEN.pow(40), BigInteger.ZERO},
            new long[][] {{1}, {2, 3}},
            UUID.fromString("00000000-0000-0001-0000-000000000002"),
        };
    }

    @ParameterizedTest
    @MethodSource
    void writtenAsRead(Object value) throws Exception {
        byte[] bytes = serializer.write(value, null).bytes;
        Serializer.Deserialized read = serializer.read(bytes, false);
        assertTrue(read.verbatim);
        assertArrayEquals(bytes, serializer.write(requireNonNull(read.value), null).bytes);
    }

    record Two(int one, int other) implements Serializable {}

    static final class Resolved implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final Resolved ONE = new Resolved();

        private Object readResolve() {
            return ONE;
        }
    }

    static final class ReadByItself extends Above {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) {
            above = 8;
        }
    }

    static final class Outer implements Externalizable {
        private static final long serialVersionUID = 1L;

        public Outer() {}

        @Override
        public void writeExternal(ObjectOutput out) {}

        @Override
        public void readExternal(ObjectInput in) {}
    }

    static final class BelowWhatIsReplaced extends MayBeReplaced {
        private static final long serialVersionUID = 1L;
    }

    static class MayBeReplaced implements Serializable {
        private static final long serialVersionUID = 1L;

        protected Object writeReplace() {
            return this;
        }
    }

    static Object[] perhapsWrittenOtherwise() {
        HashMap<String, Integer> roomy = new HashMap<>(1000);
        roomy.put("x", 1);
        return new Object[] {
            roomy,
            new HashSet<>(List.of("x")),
            new Two(1, 2),
            new Resolved[] {new Resolved(), new Resolved()},
            new ReadByItself(),
            new Outer(),
            new BelowWhatIsReplaced(),
            LocalDate.of(2000, 1, 1),
            Arrays.asList(TimeUnit.DAYS, TimeUnit.DAYS.name()),
            new TreeMap<>(Collections.reverseOrder()),
            Object.class,
            new Plain(new HashMap<>(Map.of())),
        };
    }

    @ParameterizedTest
    @MethodSource
    void perhapsWrittenOtherwise(Object value) throws Exception {
        assertFalse(serializer.read(serializer.write(value, null).bytes, false).verbatim);
    }

    /** The others are this one in other versions. */
    static final class Version0 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
        String text = "";
    }

    static final class Version1 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
        String texts = "";
    }

    static final class Version2 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
        Object text = "";
    }

    static final class Version3 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
    }

    static final class Version4 extends Above {
        private static final long serialVersionUID = 1L;
        int number;
        String text = "";
    }

    static final class Version5 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
        String text = "";
    }

    static final class Version6 implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;
        String text = "";

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.defaultWriteObject();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void ofAnotherVersionOfItsClassItIsWrittenOtherwise(int version) throws Exception {
        for (Object value : new Object[] {new Version0(), new Object[] {new Above(), new Version0()}}) {
            assertEquals(version == 5, isVerbatim(value, "Version0", "Version" + version));
        }
    }

    static class Middle0 extends Above {
        private static final long serialVersionUID = 1L;
    }

    static final class Child0 extends Middle0 {
        private static final long serialVersionUID = 1L;
    }

    static final class Child1 extends Above {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void soItIsOfOneThatHadASuperclassMore() throws Exception {
        assertFalse(isVerbatim(new Object[] {new Middle0(), new Child0()}, "Child0", "Child1"));
        assertFalse(isVerbatim(new Child0(), "Child0", "Child1", "Middle0", "Absent0"));
        assertTrue(isVerbatim(new Object[] {new Above(), new Child1()}, "Child1", "Child1"));
    }

    @Test
    void soItIsOfOneThatHadCodeOfItsOwn() throws Exception {
        assertFalse(isVerbatim(new Version6(), "Version6", "Version5"));
    }

    /** What was written of {@code value} by a JVM where classes had other names; {@code names}: there and here, in turn. */
    private boolean isVerbatim(Object value, String... names) throws Exception {
        String text = new String(serializer.write(value, null).bytes, StandardCharsets.ISO_8859_1);
        for (int i = 0; i < names.length; i += 2) {
            text = text.replace(names[i], names[i + 1]);
        }
        byte[] others = text.getBytes(StandardCharsets.ISO_8859_1);
        Serializer.Deserialized read = serializer.read(others, false);
        assertEquals(read.verbatim, Arrays.equals(others, serializer.write(requireNonNull(read.value), null).bytes));
        return read.verbatim;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void manyClassesAreSeenAll(int number) throws Exception {
        List<Object> all = new ArrayList<>();
        IntStream.range(0, number).forEach(i -> all.add(new Plain(i)));
        assertTrue(serializer.read(serializer.write(all, null).bytes, false).verbatim);
        all.add(new Two(1, 2));
        assertFalse(serializer.read(serializer.write(all, null).bytes, false).verbatim);
    }
}
