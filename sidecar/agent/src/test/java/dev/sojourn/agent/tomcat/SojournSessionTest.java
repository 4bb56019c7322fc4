package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Config;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Backlog;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Groups;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Requests;
import dev.sojourn.agent.session.Scope;
import dev.sojourn.agent.session.Serializer;
import dev.sojourn.agent.session.StreamFilter;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.servlet.http.HttpSessionBindingEvent;
import javax.servlet.http.HttpSessionBindingListener;
import javax.servlet.http.HttpSessionEvent;
import javax.servlet.http.HttpSessionListener;
import org.apache.catalina.Loader;
import org.apache.catalina.Session;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Ends of sessions that other requests hear of while they are told. */
class SojournSessionTest {
    private final List<Object> told = new ArrayList<>();
    private final List<String> asked = new ArrayList<>();
    private Runnable whileItEnds = () -> {};
    /** Whether the store says that it was this JVM that ended it. */
    private boolean isFirst = true;

    @SuppressWarnings("NullAway.Init")
    private SojournManager manager;

    @SuppressWarnings("NullAway.Init")
    private Backlog backlog;

    @SuppressWarnings("NullAway.Init")
    private SojournSession session;

    @BeforeEach
    void open() throws Exception {
        manager = new SojournManager(services(""), new StandardManager());
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        context.setApplicationLifecycleListeners(new Object[] {
            new HttpSessionListener() {
                @Override
                public void sessionDestroyed(HttpSessionEvent event) {
                    told.add(event.getSession().getAttribute("user"));
                }
            }
        });
        var engine = new StandardEngine();
        var host = new StandardHost();
        engine.setName("engine");
        host.setName("localhost");
        engine.addChild(host);
        context.setParent(host);
        context.setLoader((Loader) Proxy.newProxyInstance(
                Loader.class.getClassLoader(),
                new Class<?>[] {Loader.class},
                (proxy, method, arguments) ->
                        method.getName().equals("getClassLoader") ? getClass().getClassLoader() : null));
        manager.setContext(context);
        Sidecar sidecar = (Sidecar) Proxy.newProxyInstance(
                Sidecar.class.getClassLoader(), new Class<?>[] {Sidecar.class}, (proxy, method, arguments) -> {
                    asked.add(method.getName());
                    if (method.getName().equals("commit")) {
                        return new Committed(2, new Changes(false, List.of()));
                    }
                    if (method.getName().equals("open")) {
                        return new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
                    }
                    whileItEnds.run();
                    return isFirst;
                });
        var serializer = new Serializer(getClass()::getClassLoader, StreamFilter.of(""), name -> true);
        backlog = new Backlog(sidecar);
        session = new SojournSession(
                manager, new Home(() -> "/test", sidecar, serializer, new Requests(), backlog, Groups.NONE));
        session.restore(
                "id",
                Generation.FIRST,
                new Opened(
                        1,
                        0,
                        0,
                        1_800,
                        new Changes(
                                false,
                                List.of(
                                        new Change("user", serialized("Ann")),
                                        new Change("list", serialized(new ArrayList<>())),
                                        new Change("passivated", serialized(new Passivated()))))));
    }

    @Test
    void itsListenersAreToldThoughAnotherRequestFindsItEndedFirst() {
        whileItEnds = session::discard;
        session.expire(true);
        assertEquals(List.of("Ann"), told);
        assertFalse(session.isValid());
    }

    @Test
    void itsListenersAreToldThoughAnotherRequestFoundItExpiredFirst() {
        session.discard();
        session.expired();
        assertEquals(List.of("Ann"), told);
        assertFalse(session.isValid());
    }

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
        backlog.work();
        backlog.work();
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
        Change there = new Change("passivated", serialized(new Passivated()));
        SojournSession held = adopted(1, 0, List.of(there));
        Passivated passivated = (Passivated) held.getAttribute("passivated");
        Thread comes = new Thread(() -> adopted(2, 0, List.of(there)));
        passivated.leaves = () -> {
            comes.start();
            while (comes.getState() != Thread.State.TIMED_WAITING && comes.isAlive()) {
                Thread.onSpinWait();
            }
            told.add("leaves");
        };
        passivated.returns = () -> told.add("returns");
        held.forget();
        comes.join();
        assertEquals(List.of("leaves", "returns"), told);
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
        return adopted(version, created, List.of(new Change("user", serialized(user))));
    }

    private SojournSession adopted(long version, long created, List<Change> changes) {
        var opened = new Opened(version, created, 0, 1_800, new Changes(false, changes));
        return Objects.requireNonNull(manager.adoption().adopt("id", Generation.FIRST, opened, false));
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
    void soItIsWhereAnotherJvmEndsItAtTheSameTime() {
        setLocal();
        isFirst = false;
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

    private void setLocal() {
        session.setAttribute("local", new HttpSessionBindingListener() {
            @Override
            public void valueUnbound(HttpSessionBindingEvent event) {
                told.add("unbound " + event.getName());
                throw new IllegalStateException("as many do");
            }

            @Override
            public void valueBound(HttpSessionBindingEvent event) {}
        });
        session.state().commitStrayed();
        assertTrue(session.state().hasLocal());
    }

    /** Another request that finds it sooner commits it by the name of the one that has ended, and it is lost. */
    @Test
    void oneThatBeginsAgainCanBeFoundOnlyOnceItIsKnownWhichItIs() throws Exception {
        var services = services("");
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

    /** As the agent makes them, in a class loader of its own. */
    static Services services(String more) throws Exception {
        var load = Config.class.getDeclaredMethod("load", String.class, Map.class, File.class);
        var create = Services.class.getDeclaredConstructor(Config.class);
        load.setAccessible(true);
        create.setAccessible(true);
        return create.newInstance(
                load.invoke(null, "socket=/nowhere,patience=100ms," + more, Map.of(), new File("/nowhere")));
    }

    private static byte[] serialized(Object value) throws Exception {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toByteArray();
    }
}
