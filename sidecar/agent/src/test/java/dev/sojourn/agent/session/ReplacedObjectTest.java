package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What was known of an attribute's object is not known of the next one. */
class ReplacedObjectTest {
    private final FakeStore store = new FakeStore();
    private final Node a = new Node(store);
    private final Node b = new Node(store);
    private final List<Object> list = new ArrayList<>(List.of("x"));
    private final Attribute attribute = new Attribute("it", null);

    /** No request uses it, a thread of none has changed it, and the commit of that fails. */
    @Test
    void whatOthersCommitWhileACommitOfItBeginsIsNotRemoved() {
        commit(list);
        list.add("y");
        Draft draft = draft();
        attribute.refresh(new byte[] {1}, false);
        draft.pending(a.home);
        assertNull(attribute.pending(a.home, a, new Drafts(false, true, false), false, false));
    }

    /** As above, and no commit could carry what it has become. */
    @Test
    void norForWhatCannotBeWrittenAnyMore() {
        commit(list);
        list.add(new Object());
        Draft draft = draft();
        attribute.refresh(new byte[] {1}, false);
        assertNull(draft.pending(a.home));
    }

    /** As above, and the commit gets there, after theirs. */
    @Test
    void whatIsReadOfTheirsWhileItIsCommittedIsNotWhatTheStoreHas() {
        byte[] theirs = commit("theirs");
        commit(list);
        list.add("y");
        Draft draft = draft();
        attribute.refresh(theirs, false);
        Pending sent = Objects.requireNonNull(draft.pending(a.home));
        assertEquals("theirs", attribute.read(a.home, a));
        sent.committed(false);
        assertEquals(List.of("x", "y"), attribute.read(a.home, a));
    }

    /** As above, and a request that has read theirs changes it meanwhile. */
    @Test
    void whatARequestChangesInTheirsWhileItIsCommittedIsTheNewest() {
        byte[] theirs = commit(new ArrayList<>(List.of("theirs")));
        commit(list);
        list.add("y");
        Draft draft = draft();
        attribute.refresh(theirs, false);
        Pending sent = Objects.requireNonNull(draft.pending(a.home));
        changed(Objects.requireNonNull(attribute.read(a.home, a)));
        sent.committed(true);
        attribute.compareBehind(a.home);
        Pending next =
                Objects.requireNonNull(attribute.pending(a.home, a, new Drafts(false, true, false), false, false));
        next.committed(false);
        assertEquals(List.of("theirs", "user"), attribute.read(a.home, a));
    }

    @SuppressWarnings("unchecked")
    private static void changed(Object theirs) {
        ((List<Object>) theirs).add("user");
    }

    /** It was removed by others while the commit began, which gets there after that: the store has it, and tells nobody here of it any more. */
    @Test
    void whatIsCommittedAfterOthersHaveRemovedItIsThere() {
        Attributes attributes = new Attributes(a.home, a);
        attributes.apply(List.of(new Change("it", commit(list))), true, false);
        Attribute read = Objects.requireNonNull(attributes.find("it"));
        changed(Objects.requireNonNull(read.read(a.home, a)));
        Draft draft = Draft.of(Objects.requireNonNull(read.toWrite(false, false)), a.home, a, false);
        attributes.apply(List.of(new Change("it", null)), false, false);
        assertNull(attributes.find("it"));
        Pending sent = Objects.requireNonNull(draft.pending(a.home));
        attributes.landed(List.of(sent), false, false);
        Attribute there = Objects.requireNonNull(attributes.find("it"));
        assertEquals(List.of("x", "user"), there.read(a.home, a));
    }

    @Test
    void ofOneThatIsReadAfterOneThatCouldNotBeReadNothingIsKept() {
        byte[] bytes = commit("x");
        attribute.canLeave(attribute.stamp, true);
        assertFalse(attribute.isStored());
        attribute.remove();
        attribute.committed(attribute.stamp, null, false);
        attribute.refresh(bytes, false);
        assertEquals("x", attribute.read(a.home, a));
        assertTrue(attribute.isStored());
    }

    private byte[] commit(Object value) {
        attribute.set(value, true);
        Pending pending =
                Objects.requireNonNull(attribute.pending(a.home, a, new Drafts(false, true, false), false, false));
        pending.committed(false);
        return Objects.requireNonNull(pending.bytes);
    }

    private Draft draft() {
        return Draft.of(Objects.requireNonNull(attribute.toWrite(false, false)), a.home, a, false);
    }

    /** Who tells it may be waiting for the one who reads. */
    @Test
    void nobodyWaitsUntilOneIsToldThatIsNotHereAnyMore() {
        a.request(() -> a.session.set("it", list));
        List<Object> read = new ArrayList<>();
        b.home.patienceNanos = Long.MAX_VALUE;
        b.whenActivated = () -> {
            b.session.set("it", "another");
            Thread reader = new Thread(() -> read.add(b.get("it")));
            reader.start();
            join(reader);
        };
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> b.request(() -> b.get("it")));
        assertEquals(List.of("another"), read);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
