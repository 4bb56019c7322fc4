package dev.sojourn.agent.session;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects that refer to others, and these to others, deeper than a thread's stack. */
class DeepStackTest {
    private static final int NODES = 3_000;
    private static final int BYTES = 100_000;
    private static final long SMALL = 256 << 10;
    private static final long LARGE = 64 << 20;

    static final class Linked implements Serializable {
        private static final long serialVersionUID = 1L;
        private final @Nullable Linked next;
        private transient @Nullable ClassLoader loader;

        Linked(@Nullable Linked next) {
            this.next = next;
        }

        static Linked list(int nodes) {
            Linked list = new Linked(null);
            for (int i = 1; i < nodes; i++) {
                list = new Linked(list);
            }
            return list;
        }

        int length() {
            int length = 0;
            for (Linked each = this; each != null; each = each.next) {
                length++;
            }
            return length;
        }

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            loader = Thread.currentThread().getContextClassLoader();
        }
    }

    @Test
    void aLongListIsRead() throws Exception {
        ClassLoader webapp = new ClassLoader(getClass().getClassLoader()) {};
        Serializer serializer = new Serializer(() -> webapp, StreamFilter.of(""), name -> true);
        byte[] bytes = onAStackOf(LARGE, () -> serializer.write(Linked.list(NODES), null).bytes);
        Object read = onAStackOf(SMALL, () -> serializer.read(bytes, false).value);
        assertEquals(NODES, ((Linked) requireNonNull(read)).length());
        assertSame(webapp, ((Linked) read).loader);
    }

    @Test
    void soItIsOnAnotherPod() throws Exception {
        FakeStore store = new FakeStore();
        Node a = new Node(store);
        Node b = new Node(store);
        onAStackOf(LARGE, () -> {
            a.request(() -> a.session.set("list", Linked.list(NODES)));
            return "";
        });
        onAStackOf(SMALL, () -> {
            b.request(() -> assertEquals(NODES, ((Linked) b.get("list")).length()));
            return "";
        });
        assertEquals(List.of("COMMIT 0 +list", "OPEN 0"), store.asked);
    }

    @Test
    void whatIsChangedInItThereIsSent() throws Exception {
        FakeStore store = new FakeStore();
        Node a = new Node(store);
        Node b = new Node(store);
        onAStackOf(LARGE, () -> {
            a.request(() -> a.session.set("list", new ArrayList<Object>(List.of(Linked.list(NODES)))));
            return "";
        });
        onAStackOf(SMALL, () -> {
            b.request(() -> list(b.get("list")).add("x"));
            a.request(() -> assertEquals("x", list(a.get("list")).get(1)));
            return "";
        });
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    @Test
    void manyAtOnceAreReadOneAfterTheOther() throws Exception {
        Set<Thread> inside = ConcurrentHashMap.newKeySet();
        List<FutureTask<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            FutureTask<Integer> one = new FutureTask<>(() -> DeepStack.read(BYTES, () -> {
                overflowHere();
                inside.add(Thread.currentThread());
                int many = inside.size();
                Thread.yield();
                inside.remove(Thread.currentThread());
                return many;
            }));
            new Thread(null, one, "small", SMALL).start();
            all.add(one);
        }
        for (FutureTask<Integer> one : all) {
            assertEquals(1, one.get());
        }
    }

    /** As where an object asks the session for itself while it is read: each of them would begin a thread. */
    @Test
    void whatRecursesWithoutEndIsTriedOnceMore() {
        AtomicInteger outermost = new AtomicInteger();
        Callable<String> endless = new Callable<String>() {
            @Override
            public String call() {
                return DeepStack.read(BYTES, this);
            }
        };
        assertThrows(
                StackOverflowError.class,
                () -> DeepStack.read(BYTES, () -> {
                    outermost.incrementAndGet();
                    return endless.call();
                }));
        assertEquals(2, outermost.get());
    }

    @Test
    void whatIsSmallIsNotTooDeep() {
        AtomicInteger tries = new AtomicInteger();
        Callable<String> overflows = () -> {
            tries.incrementAndGet();
            throw new StackOverflowError();
        };
        assertThrows(StackOverflowError.class, () -> DeepStack.read(300, overflows));
        assertEquals(1, tries.get());
    }

    @Test
    void whatIsThrownThereIsThrownHere() {
        IOException failure = new IOException("not a value");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> DeepStack.read(BYTES, () -> {
                            overflowHere();
                            throw failure;
                        })));
    }

    @Test
    void whatWaitsThereForThisThreadIsGivenUp() {
        CountDownLatch waited = new CountDownLatch(1);
        Callable<String> waiting = () -> {
            overflowHere();
            waited.await();
            return "";
        };
        StackOverflowError givenUp;
        do {
            givenUp = assertThrows(StackOverflowError.class, () -> DeepStack.read(BYTES, waiting, 1));
            // Until no thread of the cases before is in the way.
        } while (givenUp instanceof DeepStack.Busy);
        waited.countDown();
    }

    @Test
    void whatAnotherIsInTheWayOfIsToldFromThat() throws Exception {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch waited = new CountDownLatch(1);
        FutureTask<String> other = new FutureTask<>(() -> DeepStack.read(BYTES, () -> {
            overflowHere();
            began.countDown();
            waited.await();
            return "read";
        }));
        new Thread(other).start();
        began.await();
        Callable<String> another = () -> {
            overflowHere();
            return "";
        };
        try {
            assertThrows(DeepStack.Busy.class, () -> DeepStack.read(BYTES, another, 1));
        } finally {
            waited.countDown();
        }
        assertEquals("read", other.get());
    }

    /** As one is while others that are too deep are read. */
    static final class Crowded implements Serializable {
        private static final long serialVersionUID = 1L;
        private static boolean now = true;
        private static int tries;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            tries++;
            if (now) {
                throw new DeepStack.Busy("as told", new StackOverflowError());
            }
        }
    }

    @Test
    void whatCannotBeReadYetIsReadByTheNextRequest() {
        FakeStore store = new FakeStore();
        Node a = new Node(store);
        Node b = new Node(store);
        a.request(() -> a.session.set("it", new Crowded()));
        for (int request = 1; request <= 2; request++) {
            int before = Crowded.tries;
            b.request(() -> {
                assertEquals("nothing", b.get("it"));
                assertEquals(Set.of(), b.session.names());
            });
            assertEquals(before + 1, Crowded.tries, "who has waited waits no more");
        }
        assertEquals("nothing", b.get("it"), "to a thread of no request");
        Crowded.now = false;
        b.request(() -> assertTrue(b.get("it") instanceof Crowded));
        assertEquals(List.of("COMMIT 0 +it", "OPEN 0", "OPEN 1", "OPEN 1"), store.asked);
    }

    @Test
    void anInterruptedThreadWaitsForItAllTheSame() {
        Thread here = Thread.currentThread();
        here.interrupt();
        Thread there = DeepStack.read(BYTES, () -> {
            overflowHere();
            return Thread.currentThread();
        });
        assertTrue(Thread.interrupted());
        assertNotSame(here, there);
    }

    private static void overflowHere() {
        if (!Thread.currentThread().getName().equals("sojourn-deep")) {
            throw new StackOverflowError();
        }
    }

    private static <T> T onAStackOf(long bytes, Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(null, task, "sized", bytes).start();
        return task.get();
    }
}
