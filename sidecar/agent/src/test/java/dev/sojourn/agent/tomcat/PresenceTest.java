package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a copy is told while requests come for it. */
class PresenceTest implements Presence.Copy {
    private final List<String> course = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean isWanted;
    private Runnable whenItLeaves = () -> {};
    private Runnable whenItIsBack = () -> {};

    @Test
    void whoComesWhileItIsToldThatItIsBackGoesOnOnceItWasTold() throws Exception {
        Presence presence = new Presence(this, Long.MAX_VALUE);
        assertTrue(presence.leave());
        Thread other = new Thread(() -> {
            presence.comeBack();
            course.add("other goes on");
        });
        whenItIsBack = () -> {
            // As what is told may.
            presence.comeBack();
            other.start();
            while (other.getState() != Thread.State.TIMED_WAITING && other.isAlive()) {
                Thread.onSpinWait();
            }
        };
        presence.comeBack();
        other.join();
        assertEquals(List.of("passivated", "activated", "other goes on"), course);
    }

    @Test
    @Timeout(60)
    void whoHasALockThatItWaitsForAsItLeavesGoesOnAndItIsToldAfterwards() throws Exception {
        Presence presence = new Presence(this, 1);
        // It ends once who has the lock has gone on.
        Thread has = new Thread(presence::comeBack);
        whenItLeaves = () -> {
            has.start();
            try {
                has.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        };
        assertFalse(presence.leave());
        assertEquals(List.of("passivated", "activated"), course);
        presence.comeBack();
        assertEquals(2, course.size());
    }

    @Override
    public boolean isWanted() {
        return isWanted;
    }

    @Override
    public void takeBack() {
        isWanted = true;
    }

    @Override
    public void passivate() {
        whenItLeaves.run();
        course.add("passivated");
    }

    @Override
    public void activate() {
        whenItIsBack.run();
        course.add("activated");
    }
}
