package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.FakeServer;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.core.Config;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Generations;
import dev.sojourn.agent.session.Groups;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Scope;
import dev.sojourn.agent.session.Serializer;
import dev.sojourn.agent.session.StreamFilter;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.catalina.Session;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A sidecar that cannot say whether a session is over: nobody may be given another one. */
@SuppressWarnings("NullAway.Init")
class OpeningTest {
    private Path folder;
    private FakeServer sidecar;
    private SojournManager manager;
    private Opening opening;
    private Scope scope;

    @BeforeEach
    void begin() throws Exception {
        folder = Files.createTempDirectory("sj");
        sidecar = new FakeServer(folder.resolve("s"), "-UNAVAILABLE as told\r\n");
        Services services = services();
        manager = new SojournManager(services, new StandardManager());
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        manager.setContext(context);
        opening =
                new Opening(manager, manager.adoption(), services, new Generations(services.sidecar, services.backlog));
        services.requests.enter(this, true);
        services.requests.inside(true);
        scope = Objects.requireNonNull(services.requests.current());
    }

    @AfterEach
    void end() throws Exception {
        sidecar.close();
        Files.delete(folder);
    }

    @Test
    void withoutAStoreWhatIsHeldServes() {
        SojournSession held = held();
        assertSame(held, opening.open("id", held, scope));
    }

    @Test
    void withoutAStoreItServesWhatThisJvmWasToldLastThoughNobodyHasLookedAtItSince() throws Exception {
        var managed = new Managed();
        managed.services.requests.enter(managed, true);
        var state = managed.session.state();
        Objects.requireNonNull(managed.services.requests.current()).use(state);
        assertEquals(List.of(), state.get("list"));
        var theirs = new Change("list", Managed.serialized(new ArrayList<>(List.of("theirs"))));
        long version = state.version();
        assertTrue(state.told(new Opened(version + 1, 0, 0, 1_800, new Changes(false, List.of(theirs))), version));
        var generations = new Generations(managed.services.sidecar, managed.services.backlog);
        new Opening(managed.manager, managed.manager.adoption(), managed.services, generations)
                .open("id", managed.session, null);
        assertEquals(List.of("theirs"), state.get("list"));
    }

    @Test
    void withoutAStoreWhatWasNotUsedHereForTooLongIsNotOver() {
        SojournSession held = held();
        held.setCreationTime(0);
        assertThrows(SessionBusy.class, () -> opening.open("id", held, scope));
        assertTrue(scope.isBusy());
        assertTrue(held.isValid());
    }

    @Test
    void anOpenThatIsTakenForAWrongOneIsNoSessionThatIsOver() {
        sidecar.answer = "-ERR as told\r\n";
        assertThrows(SessionBusy.class, () -> opening.open("id", null, scope));
        assertTrue(scope.isBusy());
    }

    /** Each layer that it passes may log it, for each request of an outage. */
    @Test
    void whoIsRefusedIsToldWhyWithoutAStackTrace() {
        sidecar.answer = "-ERR as told\r\n";
        SessionBusy busy = assertThrows(SessionBusy.class, () -> opening.open("id", null, scope));
        assertEquals(0, busy.getStackTrace().length);
        assertTrue(String.valueOf(busy.getMessage()).contains("context=/test"), busy.getMessage());
    }

    /** Nobody can have one of such a name: its bytes count, and not its characters. */
    @Test
    void anIdThatIsTooLongIsNoneOfASession() {
        sidecar.answer = "-ERR as told\r\n";
        assertNull(opening.open("\u00e9".repeat(600), null, scope));
        assertFalse(scope.isBusy());
    }

    /** A lock that nobody knows of keeps everybody out. */
    @Test
    void whatCannotBeTakenForWantOfMemoryIsGivenBack() throws Exception {
        var exclusive = SojournManager.class.getDeclaredField("exclusive");
        exclusive.setAccessible(true);
        exclusive.set(manager, true);
        sidecar.answer = "*6\r\n:1\r\n:0\r\n:0\r\n:1800\r\n*0\r\n:7\r\n";
        Services services = services();
        var serializer = new Serializer(getClass()::getClassLoader, StreamFilter.of(""), type -> true);
        var home =
                new Home(() -> "/test", services.sidecar, serializer, services.requests, services.backlog, Groups.NONE);
        var adoption = new Adoption(manager, home, new Full());
        var generations = new Generations(services.sidecar, services.backlog);
        var fails = new Opening(manager, adoption, services, generations);
        assertThrows(InternalError.class, () -> fails.open("id", null, scope));
        String last = sidecar.asked.get(sidecar.asked.size() - 1);
        assertTrue(last.contains(" SJ.UNLOCK ") && last.endsWith(" 7"), last);
    }

    /** Sessions that no other has room beside. */
    private static final class Full extends HashMap<String, Session> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean containsKey(Object id) {
            throw new InternalError("as if there were no memory");
        }
    }

    private SojournSession held() {
        var opened = new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
        return Objects.requireNonNull(manager.adoption().adopt("id", Generation.FIRST, opened, false));
    }

    /** As the agent makes them, in a class loader of its own. */
    private Services services() throws Exception {
        var load = Config.class.getDeclaredMethod("load", String.class, Map.class, File.class);
        var create = Services.class.getDeclaredConstructor(Config.class);
        load.setAccessible(true);
        create.setAccessible(true);
        return create.newInstance(load.invoke(null, "socket=" + sidecar.path, Map.of(), new File("/nowhere")));
    }
}
