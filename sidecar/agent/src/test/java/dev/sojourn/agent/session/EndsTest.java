package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Digest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who hears that a session has ended elsewhere. */
class EndsTest {
    private final Ends ends = new Ends();
    private final List<String> told = new ArrayList<>();
    private final Ends.Listener listener = told::add;

    private void heard(String... names) {
        ends.heard(String.join(" ", List.of(names).stream().map(Digest::of).toList()));
    }

    @Test
    void whoWaitsIsToldOnceForEachKeyAndNotByTheThreadThatHears() {
        ends.await("/shop\nA", listener, "1");
        ends.await("/shop\nA", listener, "1");
        ends.await("/shop\nA", listener, "2");
        ends.await("/shop\nB", listener, "3");
        heard("/shop\nA");
        heard("/shop\nA");
        heard("/shop\nunknown");
        assertEquals(List.of(), told);
        ends.work();
        ends.work();
        assertEquals(List.of("1", "2"), told);
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
