package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A long request, and who commits beside it. */
class LongRequestRaceTest {
    private final FakeStore store = new FakeStore();
    private final Node node = new Node(store);

    LongRequestRaceTest() {
        node.request(() -> node.session.set("x", "0"));
    }

    /** A job's progress that is set, and an event sent, in a block that a round's write of it waits for. */
    @Test
    void aRoundDoesNotWaitForOneThatFlushesInASynchronizedBlock() {
        goesOnBesideOneThatFlushes(this::round);
    }

    @Test
    void norDoesAShortRequest() {
        goesOnBesideOneThatFlushes(() -> {
            Object shortOne = new Object();
            node.requests.enter(shortOne, true);
            Objects.requireNonNull(node.requests.current()).use(node.session);
            node.session.set("y", "1");
            node.requests.exit(shortOne, true);
        });
        assertEquals("1", seen("y"));
    }

    @Test
    void norDoesTheCommitOfAThreadOfNoRequest() {
        goesOnBesideOneThatFlushes(node.session::commit);
    }

    private void goesOnBesideOneThatFlushes(Runnable commit) {
        Guarded job = new Guarded();
        CountDownLatch setAgain = new CountDownLatch(1);
        CountDownLatch written = whenWrittenTwice(job, setAgain);
        Thread beside = daemon(commit);
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            node.request(() -> {
                node.session.set("job", job);
                beside.start();
                await(written);
                synchronized (job) {
                    job.count = 2;
                    node.session.set("job", job);
                    setAgain.countDown();
                    node.requests.beforeFlush(node);
                }
            });
            beside.join();
        });
        assertEquals(2, count());
    }

    /** A job's progress: the same object, changed and set. */
    @Test
    void whatIsSetAgainWhileARoundWritesItIsSentByTheFlushBehindIt() throws Exception {
        node.request(() -> node.session.set("job", new Guarded()));
        CountDownLatch setAgain = new CountDownLatch(1);
        Thread round = daemon(this::round);
        node.request(() -> {
            Guarded job = (Guarded) node.get("job");
            CountDownLatch written = whenWrittenTwice(job, setAgain);
            job.count = 1;
            node.session.set("job", job);
            round.start();
            await(written);
            job.count = 2;
            node.session.set("job", job);
            setAgain.countDown();
            node.requests.beforeFlush(node);
            assertEquals(2, count());
        });
        round.join();
    }

    @Test
    void aRoundSendsNothingUnderTheLockOfARequestThatIsOver() throws Exception {
        Guarded job = new Guarded();
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread round = daemon(this::round);
        node.request(() -> {
            node.claim(7);
            node.session.set("job", job);
            job.whenWritten = () -> {
                if (Thread.currentThread() == round) {
                    job.whenWritten = () -> {};
                    written.countDown();
                    await(goOn);
                }
            };
            round.start();
            await(written);
        });
        store.asked.clear();
        node.request(() -> {
            node.claim(8);
            node.session.set("x", "1");
            goOn.countDown();
            join(round);
        });
        assertFalse(store.asked.toString().contains("lock 7"), store.asked.toString());
        assertTrue(store.asked.toString().contains("lock 8"), store.asked.toString());
    }

    /** As a map's is to whom another thread puts without a pause: nobody could read it. */
    @Test
    void whatIsAnotherEachTimeItIsWrittenWaitsForTheEnd() {
        node.request(() -> {
            node.session.set("x", new Counted(0));
            Thread round = daemon(this::round);
            round.start();
            join(round);
            assertEquals("0", seen("x"));
        });
        assertTrue(store.asked.toString().contains("+x"));
    }

    @Test
    void whatCannotBeWrittenIsNotTriedAgainByEachFlush() {
        Counted tried = new Counted(1);
        node.request(() -> {
            node.bytes(false);
            node.session.set("job", tried);
            node.requests.beforeFlush(node);
            int before = tried.written.get();
            for (int i = 0; i < 10; i++) {
                node.requests.beforeFlush(node);
                round();
            }
            assertEquals(before, tried.written.get());
            tried.broken = 0;
            node.session.set("job", tried);
        });
        assertTrue(store.asked.toString().contains("+job"), "its end tries again");
    }

    /** The request's end counts on the next round, which began before that. */
    @Test
    void aRoundDoesNotForgetWhatTheEndOfTheRequestCouldNotWriteYet() throws Exception {
        Guarded list = new Guarded();
        list.torn = true;
        Thread round = daemon(this::round);
        node.request(() -> {
            node.session.set("x", "1");
            node.session.set("list", list);
            store.meanwhile = () -> {
                store.meanwhile = () -> {};
                round.start();
                while (round.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
            };
        });
        round.join();
        list.torn = false;
        round();
        assertTrue(store.asked.toString().contains("+list"), store.asked.toString());
    }

    /** Writes something else each time, or, {@code broken}, nothing. */
    private static final class Counted implements Serializable {
        private static final long serialVersionUID = 1L;
        private final transient AtomicInteger written = new AtomicInteger();
        private transient int broken;

        private Counted(int broken) {
            this.broken = broken;
        }

        private void writeObject(ObjectOutputStream out) throws IOException {
            out.writeInt(written.incrementAndGet());
            if (broken == 1) {
                out.writeObject(new Object());
            }
        }
    }

    /** What is new is written until it is the same twice; the second time it waits until {@code goOn}. */
    private static CountDownLatch whenWrittenTwice(Guarded job, CountDownLatch goOn) {
        CountDownLatch written = new CountDownLatch(1);
        job.whenWritten = () -> job.whenWritten = () -> {
            job.whenWritten = () -> {};
            written.countDown();
            await(goOn);
        };
        return written;
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void round() {
        node.requests.tellSet(System.nanoTime() + TimeUnit.SECONDS.toNanos(1), node.backlog);
        node.backlog.work();
    }

    private int count() {
        int[] count = new int[1];
        Node asking = new Node(store);
        asking.request(() -> count[0] = ((Guarded) asking.get("job")).count);
        return count[0];
    }

    private String seen(String name) {
        String[] seen = new String[1];
        Node asking = new Node(store);
        asking.request(() -> seen[0] = asking.get(name).toString());
        return seen[0];
    }
}
