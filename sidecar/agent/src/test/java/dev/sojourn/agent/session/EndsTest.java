package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.Arrays;
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
        List<String> asked = new ArrayList<>();
        List<Boolean> answers = new ArrayList<>(Arrays.asList(null, false, true, false, false));
        Ends.Listener asks = new Ends.Listener() {
            @Override
            public void ended(String key) {
                told.add(key);
            }

            @Override
            public boolean hasEnded(String digest) throws Refusal {
                asked.add(digest);
                Boolean answer = answers.remove(0);
                if (answer == null) {
                    throw new Refusal(Refusal.Why.UNAVAILABLE, "as told");
                }
                return answer;
            }
        };
        for (String each : List.of("A", "B", "C", "D")) {
            ends.await("/shop\n" + each, asks, each);
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
        assertEquals(asked.get(2), Digest.of("/shop\n" + told.get(0)));
    }

    @Test
    void oneThatFailsDoesNotStopTheOthers() {
        Ends.Listener broken = key -> {
            throw new AssertionError(key);
        };
        ends.await("/shop\nA", broken, "1");
        ends.await("/shop\nA", listener, "2");
        heard("/shop\nA");
        ends.work();
        assertEquals(List.of("2"), told);
    }
}
