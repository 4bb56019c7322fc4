package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is told that it has come into this JVM, and who reads it meanwhile. */
class ArrivalTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);
    private final List<String> course = Collections.synchronizedList(new ArrayList<>());

    @Test
    void whoReadsItMeanwhileHasItOnceItWasTold() throws Exception {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.open();
        b.home.patienceNanos = Long.MAX_VALUE;
        Thread other = new Thread(() -> course.add("other has " + b.session.get("list")));
        b.whenActivated = () -> {
            other.start();
            awaitWaiting(other);
            course.add("told, and has itself " + b.session.get("list"));
        };
        b.session.get("list");
        other.join();
        assertEquals(List.of("told, and has itself [x]", "other has [x]"), course);
    }

    @Test
    void anObjectIsActivatedOncePerJvm() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.request(() -> {
            b.get("list");
            b.get("list");
        });
        b.request(() -> b.get("list"));
        assertEquals(0, a.activated.size());
        assertEquals(1, b.activated.size());
    }

    @Test
    void whatDoesNotHearOfItIsNotTold() {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.hears = value -> false;
        b.request(() -> b.get("list"));
        assertEquals(List.of(), b.activated);
    }

    @Test
    void whatHasBeenToldLetsNobodyHaveWhatIsReadInItsPlaceMeanwhile() throws Exception {
        a.request(() -> a.session.set("list", new ArrayList<>(List.of("x"))));
        b.open();
        b.home.patienceNanos = 1;
        CyclicBarrier begun = new CyclicBarrier(2);
        CyclicBarrier waited = new CyclicBarrier(2);
        Thread next = new Thread(() -> b.session.get("list"));
        Thread other = new Thread(() -> course.add("other has " + b.session.get("list")));
        b.whenActivated = () -> {
            if (Thread.currentThread() == next) {
                await(begun);
                await(waited);
                course.add("told");
                return;
            }
            a.request(() -> a.session.set("list", new ArrayList<>(List.of("y"))));
            b.open();
            b.home.patienceNanos = Long.MAX_VALUE;
            next.start();
            await(begun);
        };
        b.session.get("list");
        other.start();
        awaitWaiting(other);
        await(waited);
        next.join();
        other.join();
        assertEquals(List.of("told", "other has [y]"), course);
    }

    /** Two that read each other would never go on. */
    @Test
    @Timeout(60)
    void butNotForEver() throws Exception {
        a.request(() -> {
            a.session.set("1", new ArrayList<>());
            a.session.set("2", new ArrayList<>());
        });
        b.open();
        b.home.patienceNanos = 1;
        CyclicBarrier both = new CyclicBarrier(2);
        Thread other = new Thread(() -> b.session.get("2"));
        b.whenActivated = () -> {
            await(both);
            b.session.get(Thread.currentThread() == other ? "1" : "2");
            course.add("told");
        };
        other.start();
        b.session.get("1");
        other.join();
        assertEquals(List.of("told", "told"), course);
    }

    /** Or it has what it came for. */
    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
