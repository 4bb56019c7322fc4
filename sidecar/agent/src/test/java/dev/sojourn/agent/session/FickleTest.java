package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects of the same bytes of which each is written in a way of its own. */
class FickleTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    /** As many entities are, without a hash code of its own. */
    static final class Line implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;

        Line(int number) {
            this.number = number;
        }
    }

    /** As is advised for entities that have no id yet. */
    static final class Alike implements Serializable {
        private static final long serialVersionUID = 1L;
        int number;

        Alike(int number) {
            this.number = number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Alike && ((Alike) other).number == number;
        }

        @Override
        public int hashCode() {
            return Alike.class.getName().hashCode();
        }
    }

    static final class Numbered implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final AtomicInteger READ = new AtomicInteger();
        int number;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            number = READ.incrementAndGet();
        }
    }

    /** In an order that is another one in nearly every JVM, and for every object. */
    static Object[] nobodyHasChanged() {
        List<Line> lines = IntStream.range(0, 100).mapToObj(Line::new).toList();
        Map<Line, Integer> byLine = new HashMap<>();
        lines.forEach(line -> byLine.put(line, line.number));
        return new Object[] {
            new HashSet<>(lines),
            Set.copyOf(lines),
            byLine,
            new ConcurrentHashMap<>(byLine),
            new IdentityHashMap<>(byLine),
            new IdentityHashMap<>(Map.of("a", 1, "b", 2, "c", 3, "d", 4, "e", 5, "f", 6)),
            IntStream.range(0, 30).mapToObj(Alike::new).collect(HashSet::new, Set::add, Set::addAll),
            Collections.unmodifiableSet(byLine.keySet().stream().collect(HashSet::new, Set::add, Set::addAll)),
            new Numbered(),
            new ArrayList<>(List.of(new LinkedHashMap<>(byLine), byLine)),
        };
    }

    @ParameterizedTest
    @MethodSource("nobodyHasChanged")
    void whatWasOnlyReadIsNotSent(Object value) {
        a.request(() -> a.session.set("value", value));
        store.asked.clear();
        b.request(() -> b.get("value"));
        b.request(() -> b.session.set("value", b.get("value")));
        assertEquals(List.of("OPEN 0", "OPEN 1"), store.asked);
    }

    @Test
    void aRequestThatOnlyReadsDoesNotUndoWhatAnotherPodCommitsMeanwhile() {
        Set<Line> lines = new HashSet<>();
        IntStream.range(0, 100).forEach(i -> lines.add(new Line(i)));
        a.request(() -> a.session.set("lines", lines));
        b.request(() -> {
            b.get("lines");
            a.request(() -> ((Collection<?>) a.get("lines")).clear());
        });
        a.request(() -> assertEquals(Set.of(), a.get("lines")));
    }

    @Test
    void whatIsChangedInOneIsSent() {
        Set<Line> lines = new HashSet<>();
        IntStream.range(0, 100).forEach(i -> lines.add(new Line(i)));
        a.request(() -> a.session.set("lines", lines));
        b.request(() -> ((Collection<?>) b.get("lines")).clear());
        a.request(() -> assertEquals(Set.of(), a.get("lines")));
    }

    static final class Needy implements Serializable {
        private static final long serialVersionUID = 1L;
        private static boolean mayBeWritten = true;

        private void writeObject(ObjectOutputStream out) throws IOException {
            if (!mayBeWritten) {
                throw new IllegalStateException("not now");
            }
            out.defaultWriteObject();
        }
    }

    @Test
    void whatCannotBeWrittenYetIsReadAllTheSame() {
        a.request(() -> a.session.set("needy", new Needy()));
        Needy.mayBeWritten = false;
        b.request(() -> {
            assertTrue(b.get("needy") instanceof Needy);
            Needy.mayBeWritten = true;
        });
        assertEquals(List.of("COMMIT 0 +needy", "OPEN 0"), store.asked);
    }

    record Two(int one, int other) implements Serializable {}

    @Test
    void mostAreNot() {
        assertTrue(Fickle.are(List.of(HashSet.class, Line.class), true));
        assertTrue(Fickle.are(List.of(HashMap.class, int[].class), true));
        assertTrue(Fickle.are(List.of(Numbered.class), false));
        assertFalse(Fickle.are(List.of(Line.class, int[].class), false));
        assertFalse(Fickle.are(
                List.of(
                        HashMap.class,
                        String.class,
                        Integer.class,
                        Number.class,
                        TimeUnit.class,
                        Enum.class,
                        Two.class),
                true));
    }

    static final class Ordered extends LinkedHashMap<Line, Line> {
        private static final long serialVersionUID = 1L;
    }

    static final class Unordered extends HashMap<Line, Line> {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void whatHasAnOrderOfItsOwnKeepsIt() throws Exception {
        assertFalse(isFickle(new LinkedHashMap<>(Map.of("rows", new int[1]))));
        assertFalse(isFickle(new LinkedHashSet<>(List.of(new Line(1)))));
        assertFalse(isFickle(new Ordered()));
        assertTrue(isFickle(new HashMap<>(Map.of("rows", new int[1]))));
        assertTrue(isFickle(new HashSet<>(List.of(new Line(1)))));
        assertTrue(isFickle(new Unordered()));
    }

    /** Its class is told once, by the one before. */
    @Test
    void whatComesAfterOneThatDoesIsFoundAllTheSame() throws Exception {
        assertTrue(isFickle(new Object[] {new LinkedHashMap<>(), new HashMap<>()}));
        assertTrue(isFickle(new Object[] {new LinkedHashSet<>(), new HashSet<>()}));
        assertTrue(isFickle(new Object[] {new Ordered(), new Unordered()}));
        assertFalse(isFickle(new Object[] {new Ordered(), new LinkedHashMap<>(), new LinkedHashSet<>()}));
    }

    private boolean isFickle(Object value) throws Exception {
        Serializer serializer = a.home.serializer;
        return serializer.read(serializer.write(value, null).bytes, false).fickle;
    }
}
