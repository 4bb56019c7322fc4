package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Whoever has the turn and runs the application's code keeps nobody whom that code waits for. */
class TurnTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);
    private final Guarded guarded = new Guarded();

    /** A response that is larger than its buffer, made in a loop over a synchronized map. */
    @Test
    void oneThatCommitsInASynchronizedBlockDoesNotWaitForWhoeverWaitsForThatBlock() {
        whileItIsWritten(session -> {
            assertTrue(session.commit());
            guarded.count = 2;
        });
        assertEquals(List.of("COMMIT 0 +guarded", "COMMIT 1 +guarded"), store.asked);
        assertEquals(2, a.session.version());
        b.request(() -> assertEquals(2, ((Guarded) b.get("guarded")).count));
    }

    @Test
    void norDoesOneThatEndsIt() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        whileItIsWritten(session -> assertTrue(session.life().end()));
        assertEquals(List.of("OPEN 1", "END"), store.asked);
    }

    @Test
    void norDoesOneThatRenamesIt() {
        a.request(() -> a.session.set("x", "1"));
        store.asked.clear();
        whileItIsWritten(session -> session.life().rename("t"));
        assertEquals(List.of("OPEN 1", "RENAME 1", "COMMIT 1 +guarded"), store.asked);
    }

    private void whileItIsWritten(Consumer<SessionState> what) {
        Thread request = new Thread(() -> a.request(() -> a.session.set("guarded", guarded)));
        request.setDaemon(true);
        assertTimeoutPreemptively(LONG, () -> {
            synchronized (guarded) {
                request.start();
                guarded.written.await();
                what.accept(a.session);
            }
            request.join();
        });
    }

    /** The application's {@code writeObject} may have ended the session, or tried to, and go on to wait. */
    @Test
    void itMayBeTakenOverStillOnceItIsNotTakenTwiceAnyMore() throws Exception {
        Turn turn = new Turn();
        turn.take();
        turn.lend();
        turn.take();
        turn.giveBack();
        Thread other = new Thread(() -> {
            turn.take();
            turn.giveBack();
        });
        other.start();
        other.join();
        assertFalse(turn.keep());
        turn.take();
        turn.lend();
        assertTrue(turn.keep());
    }

    @Test
    void whoeverIsInterruptedWaitsOnAndStaysInterrupted() throws Exception {
        Turn turn = new Turn();
        turn.take();
        boolean[] interrupted = new boolean[1];
        Thread other = new Thread(() -> {
            Thread.currentThread().interrupt();
            turn.take();
            interrupted[0] = Thread.interrupted();
            turn.giveBack();
        });
        other.start();
        while (other.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        turn.giveBack();
        other.join();
        assertTrue(interrupted[0]);
    }
}
