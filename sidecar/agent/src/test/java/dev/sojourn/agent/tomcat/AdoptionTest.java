package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Scope;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Copies that this JVM has forgotten, and has again. */
class AdoptionTest {
    private final Managed managed = new Managed();
    private final SojournManager manager = managed.manager;
    private final SojournSession session = managed.session;
    private final List<String> asked = managed.asked;

    AdoptionTest() throws Exception {}

    @Test
    @SuppressWarnings("unchecked")
    void whatAThreadOfNoRequestHasChangedInPlaceIsCommittedBeforeACopyIsForgotten() {
        ((List<String>) session.getAttribute("list")).add("x");
        session.forget();
        assertEquals(List.of("open", "commit"), asked);
        session.forget();
        assertEquals(List.of("open", "commit"), asked, "unchanged since");
    }

    /** Its user may have gone on elsewhere. */
    @Test
    void whatAnObjectChangesInItselfBecauseItIsPassivatedIsNotSent() {
        Passivated passivated = (Passivated) session.getAttribute("passivated");
        session.forget();
        assertEquals(1, passivated.times);
        managed.backlog.work();
        managed.backlog.work();
        assertEquals(List.of(), asked);
        passivated.times++;
        session.state().commitStrayed();
        assertEquals(List.of("open", "commit"), asked);
    }

    /** The application may hold it: another object beside it would undo what it changes. */
    @Test
    void aForgottenCopyGoesOnAsTheSameObject() {
        SojournSession held = adopted(1);
        held.forget();
        assertEquals(0, manager.findSessions().length);
        assertSame(held, adopted(2));
        assertEquals(2, held.state().version());
        assertSame(held, manager.findSessions()[0]);
    }

    @Test
    void whoComesForACopyThatIsBeingForgottenFindsItToldThatItIsBack() throws Exception {
        Change there = new Change("passivated", Managed.serialized(new Passivated()));
        SojournSession held = adopted(1, 0, List.of(there));
        Passivated passivated = (Passivated) held.getAttribute("passivated");
        Thread comes = new Thread(() -> adopted(2, 0, List.of(there)));
        passivated.leaves = () -> {
            comes.start();
            while (comes.getState() != Thread.State.TIMED_WAITING && comes.isAlive()) {
                Thread.onSpinWait();
            }
            managed.told.add("leaves");
        };
        passivated.returns = () -> managed.told.add("returns");
        held.forget();
        comes.join();
        assertEquals(List.of("leaves", "returns"), managed.told);
        assertSame(held, manager.findSessions()[0]);
    }

    @Test
    void oneThatARequestHasFoundBeforeItWasForgottenCanBeFoundAgain() {
        SojournSession held = adopted(1);
        assertTrue(held.forget());
        new Scope().use(held.state());
        held.present();
        assertSame(held, manager.findSessions()[0]);
    }

    @Test
    void notOneThatHasEndedSince() {
        SojournSession held = adopted(1);
        held.forget();
        held.discard();
        assertNotSame(held, adopted(2));
    }

    /** Its objects are of the class loader before. */
    @Test
    void norAfterItsContextWasReloaded() throws Exception {
        manager.start();
        SojournSession held = adopted(1);
        held.forget();
        manager.stop();
        manager.start();
        assertNotSame(held, adopted(2));
        manager.stop();
    }

    @Test
    @SuppressWarnings("unchecked")
    void whatAThreadOfNoRequestHasChangedInAForgottenCopyIsCommittedWhenItsContextStops() throws Exception {
        manager.start();
        manager.add(session);
        List<String> list = (List<String>) session.getAttribute("list");
        session.forget();
        list.add("x");
        assertEquals(List.of(), asked);
        manager.stop();
        assertEquals(List.of("open", "commit"), asked);
    }

    /** By another pod under the same number, or in a store that went back. */
    @Test
    void aForgottenCopyTakesWhatTheStoreHasWhateverItsVersion() throws Exception {
        SojournSession held = adopted(2, 0, "old");
        held.forget();
        assertSame(held, adopted(2, 0, "other"));
        assertEquals("other", held.getAttribute("user"));
        held.forget();
        assertSame(held, adopted(1, 0, "earlier"));
        assertEquals("earlier", held.getAttribute("user"));
        assertEquals(1, held.state().version());
    }

    /** The answer to who has opened it before was on its way. */
    @Test
    void whatAThreadOfNoRequestHasCommittedMeanwhileStays() throws Exception {
        manager.add(session);
        session.forget();
        session.setAttribute("user", "Eve");
        managed.backlog.work();
        long committed = session.state().version();
        assertSame(session, adopted(1, 0, "before"));
        assertEquals("Eve", session.getAttribute("user"));
        assertEquals(committed, session.state().version());
    }

    @Test
    void aForgottenCopyIsNotTheSessionThatItsIdHasBegunAgain() throws Exception {
        SojournSession held = adopted(2, 0, "old");
        held.forget();
        SojournSession begun = adopted(1, 5, "other");
        assertNotSame(held, begun);
        assertFalse(held.isValid());
        assertEquals("other", begun.getAttribute("user"));
    }

    private SojournSession adopted(long version) {
        return adopted(version, 0, List.of());
    }

    private SojournSession adopted(long version, long created, String user) throws Exception {
        return adopted(version, created, List.of(new Change("user", Managed.serialized(user))));
    }

    private SojournSession adopted(long version, long created, List<Change> changes) {
        var opened = new Opened(version, created, 0, 1_800, new Changes(false, changes));
        return Objects.requireNonNull(manager.adoption().adopt("id", Generation.FIRST, opened, false));
    }
}
