package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Wordless;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who hears that a session has ended elsewhere. */
class EndsTest {
    private final AtomicLong now = new AtomicLong();
    private final Ends ends = new Ends(now::get);
    private final List<String> told = new ArrayList<>();
    private final Ends.Listener listener = told::add;
    private final List<Ends.Listener> asked = new ArrayList<>();

    /** Who can say whether its session has ended; null: not now. */
    private final class Asks implements Ends.Listener {
        private final List<Boolean> answers;

        Asks(List<Boolean> answers) {
            this.answers = answers;
        }

        @Override
        public void ended(String key) {
            told.add(key);
        }

        @Override
        public boolean hasEnded() throws Refusal {
            asked.add(this);
            Boolean answer = answers.remove(0);
            if (answer == null) {
                throw new Refusal(Refusal.Why.UNAVAILABLE, "as told");
            }
            return answer;
        }
    }

    private void heard(String... names) {
        ends.heard(String.join(" ", List.of(names).stream().map(Digest::of).toList()));
    }

    @Test
    void whoWaitsIsToldForEachKeyAndNotByTheThreadThatHears() {
        ends.await("/shop\nA", listener, "1");
        ends.await("/shop\nA", listener, "1");
        ends.await("/shop\nA", listener, "2");
        ends.await("/shop\nB", listener, "3");
        heard("/shop\nA");
        heard("/shop\nA");
        heard("/shop\nunknown");
        assertEquals(List.of(), told);
        ends.work();
        assertEquals(List.of("1", "2"), told);
    }

    /** What that one waits for then would fail. */
    @Test
    void anInterruptThatOneLeavesBehindIsNotForTheNext() {
        Ends.Listener interrupts = key -> {
            told.add(key + Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        };
        ends.await("/shop\nA", interrupts, "1 ");
        ends.await("/shop\nA", interrupts, "2 ");
        heard("/shop\nA");
        ends.work();
        assertEquals(List.of("1 false", "2 false"), told);
    }

    /** Tomcat has a socket only once its endpoint was told of it, which may take long. */
    @Test
    void againForAsLongAsItMayTakeToOpen() {
        ends.await("/shop\nA", listener, "1");
        heard("/shop\nA");
        ends.work();
        ends.work();
        assertEquals(List.of("1", "1"), told);
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        ends.work();
        ends.work();
        assertEquals(3, told.size());
    }

    @Test
    void aNameThatASessionIsGivenAgainIsFollowedNoMoreThanOnce() {
        ends.await("/shop\nA", listener, "1");
        heard("/shop\nA", "/shop\nB");
        heard("/shop\nB", "/shop\nA");
        ends.await("/shop\nB", listener, "2");
        ends.work();
        assertEquals(List.of(), told);
    }

    @Test
    void whoBeginsToWaitWhenItWasHeardIsToldToo() {
        heard("/shop\nold", "/shop\nnew");
        heard("/shop\nnew");
        ends.await("/shop\nold", listener, "1");
        ends.work();
        assertEquals(List.of("1"), told);
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        // Another one of that id, for all that is known.
        ends.await("/shop\nold", listener, "2");
        told.clear();
        ends.work();
        told.clear();
        ends.work();
        assertEquals(List.of(), told);
    }

    @Test
    void aSessionThatGoesOnUnderAnotherNameEndsUnderThat() {
        ends.await("/shop\nnew", listener, "of who came later");
        ends.await("/shop\nold", listener, "of who came first");
        heard("/shop\nold", "/shop\nnew");
        heard("/shop\nold");
        ends.work();
        assertEquals(List.of(), told);
        heard("/shop\nnew");
        ends.work();
        assertEquals(List.of("of who came later", "of who came first"), told);
    }

    @Test
    void soItDoesWhereThatIsHeardFirst() {
        ends.await("/shop\nold", listener, "1");
        heard("/shop\nnew");
        heard("/shop\nold", "/shop\nnew");
        ends.work();
        assertEquals(List.of("1"), told);
    }

    /** A few at a time, and again if nobody can say. */
    @Test
    void whoMayHaveMissedItsEndAsksForIt() {
        List<Boolean> answers = new ArrayList<>(Arrays.asList(null, false, true, false, false));
        List<Asks> all = new ArrayList<>();
        for (String each : List.of("A", "B", "C", "D")) {
            all.add(new Asks(answers));
            ends.await("/shop\n" + each, all.get(all.size() - 1), each);
        }
        ends.work();
        assertEquals(List.of(), asked, "nothing was missed");
        ends.missed();
        ends.work();
        assertEquals(1, asked.size());
        assertEquals(List.of(), told);
        ends.work();
        assertEquals(5, asked.size());
        assertEquals(asked.get(0), asked.get(4));
        ends.work();
        assertEquals(1, told.size());
        assertSame(asked.get(2), all.get("ABCD".indexOf(told.get(0))));
    }

    @Test
    void allHaveTheirTurnThoughSomeAreMissedAgainAndAgain() {
        List<Asks> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            all.add(new Asks(new ArrayList<>(Collections.nCopies(9, false))));
            ends.await("/shop\n" + i, all.get(i), "" + i);
        }
        for (int i = 0; i < 9; i++) {
            ends.missed();
            ends.work();
        }
        assertTrue(asked.containsAll(all));
    }

    /** Its session may go on under another name, and have the key. */
    @Test
    void whoWasAskedIsToldOnce() {
        ends.await("/shop\nA", new Asks(new ArrayList<>(List.of(true))), "1");
        ends.missed();
        ends.work();
        ends.work();
        ends.work();
        assertEquals(List.of("1"), told);
    }

    /** It asked for the name that it knows. */
    @Test
    void whoIsOverByThatAloneHasEndedForNobodyElse() {
        Asks there = new Asks(new ArrayList<>(List.of(false)));
        Asks gone = new Asks(new ArrayList<>(List.of(true)));
        ends.await("/shop\nnew", there, "there");
        ends.await("/shop\nold", gone, "gone");
        heard("/shop\nold", "/shop\nnew");
        ends.missed();
        ends.work();
        ends.await("/shop\nnew", there, "opened since");
        ends.work();
        assertEquals(List.of(there, gone), asked);
        assertEquals(List.of("gone"), told);
    }

    @Test
    void oneThatFailsDoesNotStopTheOthers() {
        Ends.Listener broken = key -> {
            throw new Wordless();
        };
        ends.await("/shop\nA", broken, "1");
        ends.await("/shop\nA", listener, "2");
        heard("/shop\nA");
        ends.work();
        assertEquals(List.of("2"), told);
    }
}
