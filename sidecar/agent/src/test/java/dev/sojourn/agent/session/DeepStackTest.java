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
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects that refer to others, and these to others, deeper than a thread's stack. */
class DeepStackTest {
    private static final int NODES = 3_000;
    private static final StackOverflowError OVERFLOW = new StackOverflowError();

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
    void aLongListGoesThrough() throws Exception {
        ClassLoader webapp = new ClassLoader(getClass().getClassLoader()) {};
        Serializer serializer = new Serializer(() -> webapp, StreamFilter.of(""), name -> true);
        byte[] bytes = onASmallStack(() -> serializer.write(Linked.list(NODES), null).bytes);
        Object read = onASmallStack(() -> serializer.read(bytes, false).value);
        assertEquals(NODES, ((Linked) requireNonNull(read)).length());
        assertSame(webapp, ((Linked) read).loader);
    }

    @Test
    void soItDoesFromPodToPod() throws Exception {
        FakeStore store = new FakeStore();
        Node a = new Node(store);
        Node b = new Node(store);
        onASmallStack(() -> {
            a.request(() -> a.session.set("list", Linked.list(NODES)));
            b.request(() -> assertEquals(NODES, ((Linked) b.get("list")).length()));
            return "";
        });
        assertEquals(List.of("COMMIT 0 +list", "OPEN 0"), store.asked);
    }

    @Test
    void whatIsThrownThereIsThrownHere() {
        IOException failure = new IOException("not a value");
        Callable<String> failing = () -> {
            throw failure;
        };
        assertSame(
                failure,
                assertThrows(IOException.class, () -> DeepStack.run(0, failing, OVERFLOW, TimeUnit.HOURS.toNanos(1))));
    }

    @Test
    void whatWaitsThereForThisThreadIsGivenUp() {
        CountDownLatch never = new CountDownLatch(1);
        Callable<String> waiting = () -> {
            never.await();
            return "";
        };
        assertSame(OVERFLOW, assertThrows(StackOverflowError.class, () -> DeepStack.run(0, waiting, OVERFLOW, 1)));
    }

    @Test
    void anInterruptedThreadWaitsForItAllTheSame() {
        Thread here = Thread.currentThread();
        here.interrupt();
        Thread there = DeepStack.run(0, Thread::currentThread, OVERFLOW, TimeUnit.HOURS.toNanos(1));
        assertTrue(Thread.interrupted());
        assertNotSame(here, there);
    }

    private static <T> T onASmallStack(Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(null, task, "small", 256 << 10).start();
        return task.get();
    }
}
