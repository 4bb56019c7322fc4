package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Objects;
import org.junit.jupiter.api.Test;

class RequestsTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    /** No thread is seen to leave it. */
    @Test
    void oneThatTheContainerDropsHasEndedOnce() {
        a.requests.enter(a, true);
        Objects.requireNonNull(a.requests.current()).use(a.session);
        a.session.set("user", "Ann");
        a.requests.exit(a, false);
        assertEquals(1, a.requests.inFlight());
        a.requests.dropped(a);
        a.requests.dropped(a);
        assertEquals(0, a.requests.inFlight());
        b.request(() -> assertEquals("Ann", b.get("user")));
    }

    @Test
    void oneThatHasEndedIsNotDropped() {
        Object other = new Object();
        a.requests.enter(other, true);
        a.requests.current();
        a.requests.exit(other, false);
        a.request(() -> a.session.set("user", "Ann"));
        a.requests.dropped(a);
        assertEquals(1, a.requests.inFlight());
    }
}
