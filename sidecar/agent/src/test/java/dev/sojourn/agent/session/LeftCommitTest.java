package dev.sojourn.agent.session;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Wordless;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Responses that wait for their commit while their thread does not. */
class LeftCommitTest {
    private static final class Response implements Later {
        private final CountDownLatch ended = new CountDownLatch(1);
        private boolean begun;

        @Override
        public void begin() {
            assertFalse(begun, "begun twice");
            begun = true;
        }

        @Override
        public void end() {
            assertEquals(1, ended.getCount(), "ended twice");
            ended.countDown();
        }

        boolean isHeld() {
            return begun && ended.getCount() > 0;
        }
    }

    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);

    @BeforeEach
    void hold() {
        store.leaves = true;
    }

    @Test
    void theResponseWaitsAndTheThreadDoesNot() {
        Response response = set(a, "Ann");
        assertTrue(response.isHeld());
        assertFalse(store.has("s"));
        assertFalse(a.session.isEvictable(), "nobody else has it");
        answer();
        assertFalse(response.isHeld());
        assertTrue(a.session.isEvictable());
        assertEquals(1, a.session.version());
        b.response = null;
        b.request(() -> assertEquals("Ann", b.get("user")));
    }

    @Test
    void aRequestThatOnlyReadsIsNotHeld() {
        set(a, "Ann");
        answer();
        Response response = new Response();
        a.response = response;
        a.request(() -> a.get("user"));
        assertFalse(response.begun);
    }

    @Test
    void theNextCommitOfTheSessionWaitsForTheOneBefore() throws Exception {
        set(a, "Ann");
        AtomicBoolean done = new AtomicBoolean();
        a.response = null;
        Thread next = new Thread(() -> {
            a.request(() -> a.session.set("user", "Ben"));
            done.set(true);
        });
        next.start();
        while (next.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertFalse(done.get());
        answer();
        next.join();
        assertEquals(List.of("COMMIT 0 +user", "COMMIT 1 +user"), store.asked);
        assertEquals(2, a.session.version());
    }

    @Test
    void whatWasSetMeanwhileIsNotTakenForCommitted() {
        set(a, "Ann");
        a.session.set("user", "Ben");
        answer();
        a.response = null;
        a.request(() -> {});
        b.response = null;
        b.request(() -> assertEquals("Ben", b.get("user")));
    }

    /** The store has by then what nobody here has any more. */
    @Test
    void whatWasRemovedMeanwhileIsGoneEverywhere() {
        set(a, "Ann");
        a.session.remove("user");
        assertEquals("nothing", a.get("user"));
        assertFalse(a.session.names().contains("user"));
        answer();
        a.response = null;
        a.request(() -> {});
        b.response = null;
        b.request(() -> assertEquals("nothing", b.get("user")));
        a.backlog.work();
        assertTrue(a.session.isEvictable());
    }

    /** Such as an OutOfMemoryError: the container goes on after it. */
    @Test
    void whatCannotBeSentHoldsNothingBackAndIsCommittedWhenTheRequestEnds() {
        store.breaks = new OutOfMemoryError("as told");
        Response response = new Response();
        a.response = response;
        assertThrows(OutOfMemoryError.class, () -> a.request(() -> a.session.set("user", "Ann")));
        assertFalse(response.isHeld());
        a.requests.exit(a, true);
        assertTrue(a.session.isEvictable());
        b.response = null;
        store.leaves = false;
        b.request(() -> assertEquals("Ann", b.get("user")));
    }

    @Test
    void aDeltaThatDoesNotFitIsSentWhole() throws Exception {
        Response first = set(a, "x".repeat(2_000));
        answer();
        first.ended.await();
        Response response = set(a, "x".repeat(1_999) + "y");
        store.refuses = Refusal.Why.MISSING;
        store.refusesOnce = true;
        answer();
        response.ended.await();
        assertEquals(2, a.session.version());
    }

    @Test
    void ofAnEndedSessionNothingIsKept() throws Exception {
        set(a, "Ann");
        answer();
        Response response = set(a, "Ben");
        store.refuses = Refusal.Why.GONE;
        answer();
        response.ended.await();
        assertTrue(a.gone);
    }

    @Test
    void anOutageLetsTheResponseGoAndTheCommitFollows() throws Exception {
        set(a, "Ann");
        answer();
        Response response = set(a, "Ben");
        store.refuses = Refusal.Why.UNAVAILABLE;
        answer();
        response.ended.await();
        assertFalse(a.session.isEvictable());
        store.refuses = null;
        store.leaves = false;
        a.backlog.work();
        b.response = null;
        b.request(() -> assertEquals("Ben", b.get("user")));
    }

    @Test
    void changesOfOthersAreTakenWithTheAnswer() throws Exception {
        set(a, "Ann");
        answer();
        b.response = null;
        store.leaves = false;
        b.request(() -> b.session.set("cart", new ArrayList<>(List.of("book"))));
        store.leaves = true;
        // Opened before b committed.
        Response response = new Response();
        a.response = response;
        a.request(() -> {
            a.session.set("user", "Ben");
            store.leaves = false;
            b.request(() -> b.session.set("cart", new ArrayList<>(List.of("book", "pen"))));
            store.leaves = true;
        });
        answer();
        response.ended.await();
        assertEquals(List.of("book", "pen"), a.get("cart"));
        assertEquals(4, a.session.version());
    }

    /** The store's order counts, whichever answer is taken first. */
    @Test
    void anAnswerThatIsTakenLateBringsNothingOldBack() throws Exception {
        set(a, "Ann");
        answer();
        Response response = set(a, "Ben");
        store.late = new ArrayList<>();
        answer();
        commitOfB(() -> b.session.set("user", "Cid"));
        a.open();
        store.late.forEach(Runnable::run);
        response.ended.await();
        assertEquals("Cid", a.get("user"));
        assertEquals(3, a.session.version());
        assertTrue(a.session.isEvictable());
    }

    @Test
    void norDoesItTakeAwayWhatWasChangedSince() throws Exception {
        List<String> cart = new ArrayList<>(List.of("book"));
        commitOfB(() -> b.session.set("cart", cart));
        Response response = new Response();
        a.response = response;
        a.request(() -> cart(a).add("pen"));
        store.late = new ArrayList<>();
        answer();
        commitOfB(() -> cart(b).clear());
        cart(a).add("ink");
        a.open();
        store.late.forEach(Runnable::run);
        response.ended.await();
        a.response = null;
        a.request(() -> {});
        b.request(() -> assertEquals(List.of("book", "pen", "ink"), b.get("cart")));
    }

    /** Another thread of the application's has what others' commit, which came with the answer, has come for. */
    @Test
    void noResponseWaitsForAnObjectThatIsToBeCompared() throws Exception {
        Guarded guarded = new Guarded();
        Response first = new Response();
        a.response = first;
        a.request(() -> a.session.set("guarded", guarded));
        answer();
        first.ended.await();
        Response response = new Response();
        a.response = response;
        a.request(() -> {
            a.session.set("user", "Ann");
            Guarded theirs = new Guarded();
            theirs.count = 7;
            commitOfB(() -> b.session.set("guarded", theirs));
        });
        synchronized (guarded) {
            answer();
            assertTrue(response.ended.await(20, SECONDS), "the response waits for the object");
        }
        assertFalse(a.session.isEvictable(), "nobody has compared it");
        a.backlog.work();
        assertTrue(a.session.isEvictable());
        assertEquals(7, ((Guarded) a.get("guarded")).count);
        a.backlog.work();
        assertEquals(0, a.backlog.waiting());
    }

    @Test
    void noResponseWaitsForAThreadThatCannotBeHad() {
        set(a, "Ann");
        answer();
        a.home.late = work -> {
            throw new Wordless();
        };
        Response response = set(a, "Ben");
        store.refuses = Refusal.Why.UNAVAILABLE;
        answer();
        assertFalse(response.isHeld());
        isCaughtUpWith("Ben");
    }

    @Test
    void whatFailsWhileItIsSentAgainIsCaughtUpWith() {
        set(a, "Ann");
        answer();
        List<Runnable> late = new ArrayList<>();
        a.home.late = late::add;
        Response response = set(a, "Ben");
        store.refuses = Refusal.Why.AWAY;
        answer();
        store.refuses = null;
        store.meanwhile = () -> {
            throw new Wordless();
        };
        assertThrows(Wordless.class, late.get(0)::run);
        assertFalse(response.isHeld());
        store.meanwhile = () -> {};
        isCaughtUpWith("Ben");
    }

    /** There was no memory to tell what. */
    @Test
    void whatNobodyKnowsOfIsCaughtUpWith() {
        set(a, "Ann");
        answer();
        Response response = set(a, "Ben");
        store.meanwhile = () -> {
            throw new Wordless();
        };
        answer();
        assertFalse(response.isHeld());
        store.meanwhile = () -> {};
        isCaughtUpWith("Ben");
    }

    private void isCaughtUpWith(String user) {
        store.refuses = null;
        store.leaves = false;
        a.backlog.work();
        b.response = null;
        b.request(() -> assertEquals(user, b.get("user")));
    }

    private void commitOfB(Runnable application) {
        store.leaves = false;
        b.response = null;
        b.request(application);
        store.leaves = true;
    }

    @SuppressWarnings("unchecked")
    private static List<String> cart(Node node) {
        return (List<String>) node.get("cart");
    }

    private Response set(Node node, String value) {
        Response response = new Response();
        node.response = response;
        node.request(() -> node.session.set("user", value));
        return response;
    }

    /** The answers to all that was left. */
    private void answer() {
        List<Runnable> all = new ArrayList<>(store.left);
        store.left.clear();
        all.forEach(Runnable::run);
    }
}
