package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Generation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.catalina.Session;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.Test;

/** Which copies are forgotten once nobody uses them here. */
class CopiesTest {
    @Test
    void whatIsNotUsedForLongIsForgotten() throws Exception {
        assertEquals(0, keptOf("", true));
        assertEquals(0, keptOf("1", false));
    }

    /** The one that had it for itself may have ended without memory to give it back, and nobody would have it again. */
    @Test
    void whatNobodyUsesIsGivenBack() throws Exception {
        var managed = new Managed();
        managed.session.state().claimed(7);
        Copies.tidy(new Session[] {managed.session}, managed.manager.getContext(), managed.services.config);
        assertEquals(List.of("unlock"), managed.asked);
    }

    /** It would undeploy one without. */
    @Test
    void theContainerFindsTheSessionsOfAnOldVersion() throws Exception {
        assertEquals(1, keptOf("1", true));
    }

    /** Nor Tomcat's own thread from what it has to do for all applications. */
    @Test
    void oneThatIsTooLargeToLeaveKeepsNoOtherFromIt() throws Exception {
        assertEquals(List.of("5"), keptBesideTooLarge(1_800));
    }

    @Test
    void norWhereNobodyCameForThemInTime() throws Exception {
        assertEquals(List.of("5"), keptBesideTooLarge(1));
    }

    private static List<String> keptBesideTooLarge(int idle) throws Exception {
        var services = Managed.services("memory.idle=0");
        var manager = manager(services, new StandardHost(), "");
        var list = new Change("list", Managed.serialized(new ArrayList<>()));
        for (int i = 0; i < 10; i++) {
            var opened = new Opened(1, 0, 0, idle, new Changes(false, List.of(list)));
            SojournSession session = adopt(manager, "" + i, opened);
            // No request of theirs is known: each is looked at when it leaves.
            @SuppressWarnings("unchecked")
            List<Object> objects = (List<Object>) session.getAttribute("list");
            while (!session.state().isEvictable()) {
                services.backlog.work();
            }
            if (i == 5) {
                objects.add(new TooLarge());
            }
        }
        for (Session session : manager.findSessions()) {
            ((SojournSession) session).setCreationTime(System.currentTimeMillis() - 120_000);
        }
        manager.processExpires();
        List<String> kept = new ArrayList<>();
        for (Session session : manager.findSessions()) {
            kept.add(session.getIdInternal());
        }
        return kept;
    }

    private static int keptOf(String version, boolean undeploysOld) throws Exception {
        var host = new StandardHost();
        host.setUndeployOldVersions(undeploysOld);
        var manager = manager(Managed.services("memory.idle=0"), host, version);
        SojournSession session = adopt(manager, "id", new Opened(1, 0, 0, 1_800, new Changes(false, List.of())));
        while (session.lastUsed() == System.currentTimeMillis()) {
            Thread.onSpinWait();
        }
        manager.processExpires();
        return manager.getActiveSessions();
    }

    private static SojournManager manager(Services services, StandardHost host, String version) {
        var manager = new SojournManager(services, new StandardManager());
        host.setName("localhost");
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        context.setWebappVersion(version);
        context.setParent(host);
        context.setLoader(Managed.loader());
        manager.setContext(context);
        return manager;
    }

    private static SojournSession adopt(SojournManager manager, String id, Opened opened) {
        return Objects.requireNonNull(manager.adoption().adopt(id, Generation.FIRST, opened, false));
    }
}
