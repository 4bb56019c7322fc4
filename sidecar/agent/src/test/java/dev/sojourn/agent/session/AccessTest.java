package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which commits keep a session alive: those that stand for a request, and no others. A scheduler that writes into held sessions would log nobody out ever again. */
class AccessTest {
    private final FakeStore store = new FakeStore();
    private final Node node = new Node(store);

    @BeforeEach
    void aSession() {
        node.request(() -> node.session.set("list", new ArrayList<>(List.of("x"))));
        store.asked.clear();
    }

    @Test
    void whatAThreadOfNoRequestSetsIsNone() {
        node.session.set("x", "1");
        node.backlog.work();
        assertEquals(List.of("PASSIVE COMMIT 1 +x"), store.asked);
    }

    @Test
    @SuppressWarnings("unchecked")
    void norIsWhatItChangesInPlace() {
        List<String> list = (List<String>) node.get("list");
        for (int look = 1; look < 8; look++) {
            node.backlog.work();
        }
        list.add("y");
        node.backlog.work();
        assertEquals(List.of("PASSIVE OPEN 1", "PASSIVE COMMIT 1 +list"), store.asked);
    }

    @Test
    void norIsEitherWhereNobodyAnsweredAtFirst() {
        store.refuses = Refusal.Why.AWAY;
        node.session.set("x", "1");
        node.backlog.work();
        answerAgain();
        node.backlog.work();
        assertEquals(List.of("PASSIVE COMMIT 1 +x"), store.asked);
    }

    @Test
    void whatARequestCouldNotCommitIsOneThoughItIsLate() {
        store.refuses = Refusal.Why.AWAY;
        node.request(() -> node.session.set("x", "1"));
        answerAgain();
        node.backlog.work();
        assertEquals(List.of("COMMIT 1 +x"), store.asked);
    }

    @Test
    void soItIsWhereAThreadOfNoRequestIsTheFirstToGetThrough() {
        store.refuses = Refusal.Why.AWAY;
        node.request(() -> node.session.set("x", "1"));
        node.session.set("x", "2");
        answerAgain();
        node.backlog.work();
        node.session.set("x", "3");
        node.backlog.work();
        assertEquals(List.of("COMMIT 1 +x", "PASSIVE COMMIT 2 +x"), store.asked);
    }

    @Test
    void orAPoll() {
        store.refuses = Refusal.Why.AWAY;
        node.request(() -> node.session.set("x", "1"));
        answerAgain();
        node.poll(() -> node.session.set("x", "2"));
        node.poll(() -> node.session.set("x", "3"));
        assertEquals(List.of("PASSIVE OPEN 1", "COMMIT 1 +x", "PASSIVE OPEN 2", "PASSIVE COMMIT 2 +x"), store.asked);
    }

    @Test
    void whatAPollCouldNotCommitIsNoneLaterEither() {
        store.refuses = Refusal.Why.AWAY;
        node.poll(() -> node.session.set("x", "1"));
        answerAgain();
        node.backlog.work();
        assertEquals(List.of("PASSIVE COMMIT 1 +x"), store.asked);
    }

    @Test
    void whatCreatesASessionIsOneWhoeverDoesIt() {
        Node other = new Node(store, node.backlog, "t");
        other.session.life().created();
        node.backlog.work();
        assertEquals(List.of("COMMIT 0"), store.asked);
    }

    @Test
    void whatALongRequestSetsIsOneMeanwhile() {
        node.request(() -> {
            store.asked.clear();
            node.session.set("x", "1");
            node.requests.beforeFlush(node);
            node.session.set("x", "2");
            round();
            assertEquals(List.of("COMMIT 1 +x", "COMMIT 2 +x"), store.asked);
        });
    }

    /** A stream, whose page may be open for days. */
    @Test
    void whatIsSetWhileAnAsyncRequestGoesOnIsNone() {
        node.requests.enter(node, true);
        Objects.requireNonNull(node.requests.current()).use(node.session);
        node.requests.exit(node, false);
        node.session.set("x", "1");
        node.requests.beforeFlush(node);
        node.session.set("x", "2");
        round();
        node.session.set("x", "3");
        node.bytes(true);
        assertEquals(List.of("PASSIVE COMMIT 1 +x", "PASSIVE COMMIT 2 +x", "COMMIT 3 +x"), store.asked);
    }

    private void round() {
        node.requests.tellSet(System.nanoTime() + TimeUnit.SECONDS.toNanos(1), node.backlog);
        node.backlog.work();
    }

    private void answerAgain() {
        store.refuses = null;
        store.asked.clear();
    }
}
