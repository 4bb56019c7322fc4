package dev.sojourn.agent.session;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Several sessions of one JVM, which threads of no request have touched. */
class BacklogTest {
    private final FakeStore store = new FakeStore();

    /** A thread of the other user's may hold the objects for long. */
    @Test
    void aResponseWaitsForWhatIsChangedInItsOwnSessionOnly() {
        Node own = new Node(store);
        Node other = new Node(store, own.backlog, "t");
        own.session.set("user", "Ann");
        other.session.set("user", "Ben");
        own.named = own.session;
        own.bytes(false);
        assertTrue(store.has("s"));
        assertFalse(store.has("t"));
        own.backlog.work();
        assertTrue(store.has("t"));
    }

    /** The container's own thread has never asked for the session. */
    @Test
    void anAsyncResponseWaitsForItsSessionThoughItsRequestHasNotUsedIt() {
        Node node = new Node(store);
        node.requests.enter(node, true);
        node.requests.exit(node, false);
        node.session.set("user", "Ann");
        node.named = node.session;
        node.bytes(true);
        assertTrue(store.has("s"));
    }

    @Test
    void oneWhoseObjectIsHeldDoesNotStopTheOthers() throws Exception {
        Backlog backlog = new Backlog(store);
        Node held = new Node(store, backlog, "t");
        Node free = new Node(store, backlog, "s");
        Guarded guarded = new Guarded();
        held.session.set("held", guarded);
        CountDownLatch asked = new CountDownLatch(1);
        store.meanwhile = asked::countDown;
        ExecutorService chore = Executors.newSingleThreadExecutor();
        synchronized (guarded) {
            chore.execute(backlog::work);
            assertTrue(guarded.written.await(20, SECONDS), "nobody writes it");
            free.session.set("user", "Ann");
            chore.execute(backlog::work);
            assertTrue(asked.await(20, SECONDS), "the other one is not committed");
        }
        chore.shutdown();
    }

    @Test
    void anEndThatFailsStopsNeitherTheOthersNorWhatIsToBeCommitted() {
        Backlog backlog = new Backlog(store, Runnable::run);
        List<Node> over = List.of(new Node(store, backlog, "s"), new Node(store, backlog, "t"));
        over.forEach(each -> each.request(() -> each.session.set("user", "Ann")));
        store.refuses = Refusal.Why.AWAY;
        over.forEach(each -> each.session.life().end());
        store.refuses = null;
        new Node(store, backlog, "u").session.set("user", "Ben");
        store.meanwhile = () -> {
            store.meanwhile = () -> {};
            throw new InternalError("of a test");
        };
        backlog.work();
        assertTrue(store.has("s") ^ store.has("t"));
        assertTrue(store.has("u"));
        backlog.work();
        assertFalse(store.has("s") || store.has("t"), "it is forgotten");
    }

    @Test
    void noSessionHasTwoThreads() {
        List<Runnable> begun = new ArrayList<>();
        Backlog backlog = new Backlog(store, begun::add);
        Node node = new Node(store, backlog, "s");
        node.session.set("user", "Ann");
        backlog.work();
        backlog.work();
        assertEquals(1, begun.size());
        begun.get(0).run();
        node.session.set("user", "Ben");
        backlog.work();
        assertEquals(2, begun.size());
    }

    @Test
    void eachRoundMakesRoomForThoseThatHaveNoThread() {
        AtomicInteger rounds = new AtomicInteger();
        Backlog backlog = new Backlog(store, Runnable::run, rounds::incrementAndGet);
        backlog.work();
        backlog.work();
        assertEquals(2, rounds.get());
    }
}
