package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.session.Generation;
import java.util.List;
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

    /** It would undeploy one without. */
    @Test
    void theContainerFindsTheSessionsOfAnOldVersion() throws Exception {
        assertEquals(1, keptOf("1", true));
    }

    private static int keptOf(String version, boolean undeploysOld) throws Exception {
        var manager = new SojournManager(Managed.services("memory.idle=0"), new StandardManager());
        var host = new StandardHost();
        host.setName("localhost");
        host.setUndeployOldVersions(undeploysOld);
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        context.setWebappVersion(version);
        context.setParent(host);
        manager.setContext(context);
        var opened = new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
        SojournSession session = manager.adoption().adopt("id", Generation.FIRST, opened, false);
        if (session == null) {
            throw new AssertionError("no session");
        }
        while (session.lastUsed() == System.currentTimeMillis()) {
            Thread.onSpinWait();
        }
        manager.processExpires();
        return manager.getActiveSessions();
    }
}
