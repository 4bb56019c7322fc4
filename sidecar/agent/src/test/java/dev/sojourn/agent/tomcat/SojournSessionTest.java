package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.FullHeap;
import dev.sojourn.agent.core.Wordless;
import dev.sojourn.agent.session.Ends;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.servlet.http.HttpSessionBindingEvent;
import javax.servlet.http.HttpSessionBindingListener;
import javax.servlet.http.HttpSessionEvent;
import javax.servlet.http.HttpSessionListener;
import org.apache.catalina.Session;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.Test;

/** Ends of sessions that other requests hear of while they are told. */
class SojournSessionTest {
    private final Managed managed = new Managed();
    private final SojournManager manager = managed.manager;
    private final SojournSession session = managed.session;
    private final List<Object> told = managed.told;
    private final Requests requests = new Requests();
    /** A field: nobody else holds it. */
    private final Ends.Listener listener = told::add;

    SojournSessionTest() throws Exception {}

    @Test
    void itsListenersAreToldThoughAnotherRequestFindsItEndedFirst() {
        managed.whileItEnds = session::discard;
        session.expire(true);
        assertEquals(List.of("Ann"), told);
        assertFalse(session.isValid());
    }

    /** It is ended by the backlog then, which tells nobody. */
    @Test
    void soTheyAreThoughThereIsNoMemoryToEndItWith() {
        manager.add(session);
        managed.whileItEnds = () -> {
            managed.whileItEnds = () -> {};
            throw new OutOfMemoryError("of a test");
        };
        assertThrows(OutOfMemoryError.class, () -> session.expire(true));
        assertEquals(List.of("Ann"), told);
        assertFalse(session.isValid());
        assertEquals(0, manager.findSessions().length);
        managed.backlog.work();
        assertEquals(List.of("end", "end"), managed.asked);
        session.expire(true);
        session.expired();
        assertEquals(List.of("Ann"), told, "again");
    }

    @Test
    void itIsNotOverWhereThereIsNoMemoryToRememberThatItEnds() throws Exception {
        FullHeap.runs(NotEnded.class);
    }

    static final class NotEnded {
        public static void main(String[] args) throws Exception {
            for (boolean full : new boolean[] {false, true}) {
                Managed managed = new Managed();
                managed.manager.add(managed.session);
                if (full) {
                    FullHeap.fails(() -> managed.session.expire(true));
                    managed.backlog.work();
                    assertEquals(List.of(), managed.asked, "there was memory: this test shows nothing");
                    assertTrue(managed.session.isValid());
                    assertEquals(1, managed.manager.findSessions().length);
                }
                managed.session.expire(true);
                assertEquals(List.of("end"), managed.asked);
                assertEquals(List.of("Ann"), managed.told);
                assertEquals(0, managed.manager.findSessions().length);
            }
        }
    }

    /** A virtual thread that waits with a monitor keeps its core from all others, until JDK 24. */
    @Test
    void itEndsInTheStoreWithoutItsMonitor() {
        List<Boolean> held = new ArrayList<>();
        managed.whileItEnds = () -> held.add(Thread.holdsLock(session));
        session.expire(true);
        assertEquals(List.of(false), held);
    }

    @Test
    void itsListenersAreToldThoughAnotherRequestFoundItExpiredFirst() {
        session.discard();
        session.expired();
        assertEquals(List.of("Ann"), told);
        assertFalse(session.isValid());
    }

    @Test
    void soItIsThoughWhatElseItHasCouldNotBeToldThatItLeaves() {
        manager.add(session);
        setLocal();
        ((Passivated) session.getAttribute("passivated")).leaves = () -> {
            throw new Wordless();
        };
        managed.backlog.work();
        session.setCreationTime(0);
        manager.processExpires();
        assertEquals(0, manager.findSessions().length, "it did not leave: this test shows nothing");
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void nobodyIsToldOfWhatWasEndedElsewhere() {
        session.discard();
        session.expire(true);
        assertEquals(List.of(), told);
    }

    @Test
    void whatCannotLeaveThisJvmIsUnboundOnceItsSessionHasEndedElsewhere() {
        setLocal();
        session.discard();
        assertEquals(List.of(), told, "whoever finds that may have locks");
        manager.processExpires();
        manager.processExpires();
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void soItIsThoughThatOfAnotherCannotBe() {
        var opened = new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
        SojournSession other =
                Objects.requireNonNull(manager.adoption().adopt("other", Generation.FIRST, opened, false));
        for (SojournSession each : List.of(other, session)) {
            setLocal(each);
            each.discard();
        }
        other.setManager(null);
        manager.processExpires();
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void soItIsWhereAnotherJvmEndsItAtTheSameTime() {
        setLocal();
        managed.isFirst = false;
        session.expire(true);
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void soItIsOnceNobodyHasComeForItForTooLong() {
        manager.add(session);
        setLocal();
        session.setCreationTime(0);
        manager.processExpires();
        assertEquals(List.of("unbound local"), told);
        assertEquals(0, manager.findSessions().length);
    }

    @Test
    void andWhenItsContextStops() throws Exception {
        manager.start();
        manager.add(session);
        setLocal();
        manager.stop();
        assertEquals(List.of("unbound local"), told);
    }

    /** Else it would take the stop from all others, and from the context's listeners. */
    @Test
    void soItIsThoughItIsTooLargeToLeaveInOrder() throws Exception {
        manager.start();
        manager.add(session);
        setLocal();
        session.setAttribute("large", new TooLarge());
        manager.stop();
        assertEquals(List.of("unbound local"), told);
    }

    /** There may be no memory for a word about it. */
    @Test
    void anObjectThatFailsWithoutAWordKeepsItsUnbindingFromNoOther() {
        for (String name : List.of("one", "two")) {
            setLocal(session, name, () -> {
                throw new Wordless();
            });
        }
        session.unbindLocal();
        assertEquals(Set.of("unbound one", "unbound two"), Set.copyOf(told));
    }

    /** Whoever comes with the old id, when another JVM has given the session a new one, must not find it, and not take it from a request in flight. */
    @Test
    void aRequestInFlightKeepsWhatGoesOnElsewhere() {
        manager.add(session);
        setLocal();
        inFlight();
        Copies.vanished(session, session.state().name());
        assertTrue(session.isValid());
        assertEquals(0, manager.findSessions().length);
        manager.processExpires();
        assertEquals(List.of(), told, "it has it still");
        requests.exit(this, true);
        manager.processExpires();
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void whatItSetsSinceIsUnboundTooWhenItIsDone() {
        inFlight();
        Copies.vanished(session, session.state().name());
        setLocal();
        manager.processExpires();
        assertEquals(List.of(), told, "it has it still");
        requests.exit(this, true);
        manager.processExpires();
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void andWhenItsContextStopsBeforeThat() throws Exception {
        manager.start();
        setLocal();
        inFlight();
        Copies.vanished(session, session.state().name());
        manager.stop();
        assertEquals(List.of("unbound local"), told);
    }

    @Test
    void soDoesWhatIsOpen() {
        session.opens("key");
        Copies.vanished(session, session.state().name());
        assertTrue(session.isValid());
    }

    @Test
    void butNotWhatHasEnded() {
        manager.add(session);
        inFlight();
        managed.refuses = Refusal.Why.GONE;
        Copies.vanished(session, session.state().name());
        assertFalse(session.isValid());
        assertEquals(0, manager.findSessions().length);
    }

    @Test
    void ofWhatNobodyHasNobodyAsks() {
        managed.asked.clear();
        Copies.vanished(session, session.state().name());
        assertFalse(session.isValid());
        assertEquals(List.of(), managed.asked);
    }

    /** Nobody would ever come for it, nor would it be forgotten. */
    @Test
    void oneThatIsFoundEndedWhenItIsGivenANewIdIsNotKeptUnderThat() {
        manager.add(session);
        managed.refuses = Refusal.Why.GONE;
        session.setId("new", false);
        assertEquals(0, manager.findSessions().length);
    }

    @Test
    void oneThatIsOverIsForgottenWhateverIsToBeCommittedOfIt() {
        session.setAttribute("never", "committed");
        session.discard();
        manager.add(session);
        inFlight();
        manager.processExpires();
        assertEquals(0, manager.findSessions().length);
    }

    private void inFlight() {
        requests.enter(this, true);
        Objects.requireNonNull(requests.current()).use(session.state());
    }

    private void setLocal() {
        setLocal(session);
    }

    private void setLocal(SojournSession of) {
        setLocal(of, "local", () -> {
            throw new IllegalStateException("as many do");
        });
    }

    private void setLocal(SojournSession of, String attribute, Runnable fails) {
        of.setAttribute(attribute, new HttpSessionBindingListener() {
            @Override
            public void valueUnbound(HttpSessionBindingEvent event) {
                told.add("unbound " + event.getName());
                fails.run();
            }

            @Override
            public void valueBound(HttpSessionBindingEvent event) {}
        });
        of.state().commitStrayed();
        assertTrue(of.state().hasLocal());
    }

    /** Else its end under the last of its names would be told to nobody. */
    @Test
    void whoRenamesItTellsTheNameThatItHadAndNotTheOneThatHeFound() throws Exception {
        managed.services.ends.await(session.state().name(), listener, "ended");
        List<Thread> all = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            all.add(new Thread(() -> session.setId(id, false)));
        }
        List<Thread> before = new CopyOnWriteArrayList<>();
        managed.whileItIsRenamed = () -> {
            if (before.isEmpty()) {
                // By the time that these may rename it they have found the first one's name.
                all.subList(1, 3).forEach(SojournSessionTest::startAndWaits);
            }
            before.forEach(SojournSessionTest::isOver);
            before.add(Thread.currentThread());
        };
        all.get(0).start();
        all.forEach(SojournSessionTest::isOver);
        managed.services.ends.heard(Digest.of(session.state().name()));
        managed.services.ends.work();
        assertEquals(List.of("ended"), told);
    }

    private static void startAndWaits(Thread thread) {
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    private static void isOver(Thread thread) {
        while (thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    /** Another request that finds it sooner commits it by the name of the one that has ended, and it is lost. */
    @Test
    void oneThatBeginsAgainCanBeFoundOnlyOnceItIsKnownWhichItIs() throws Exception {
        var services = Managed.services("");
        var manager = new SojournManager(services, new StandardManager());
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        context.setSessionCookiePath("/");
        List<Long> found = new ArrayList<>();
        context.setApplicationLifecycleListeners(new Object[] {
            new HttpSessionListener() {
                @Override
                public void sessionCreated(HttpSessionEvent event) {
                    for (Session each : manager.findSessions()) {
                        found.add(((SojournSession) each).generation().number);
                    }
                }
            }
        });
        manager.setContext(context);
        // Nobody answers: it cannot be told.
        services.backlog.end(manager.nameOf("id", 0));
        SojournSession created = (SojournSession) manager.createSession("id");
        assertTrue(created.generation().number > 0);
        assertEquals(List.of(created.generation().number), found);
        assertEquals(
                manager.nameOf("id", created.generation().number),
                created.state().name());
    }
}
