package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Arrays;
import java.util.List;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardEngine;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.Test;

/** What else is done where the sessions are somebody else's. That SIGTERM is held back there only a JVM of its own can show: ForeignManagerIT. */
class LeftAloneTest {
    @Test
    void aManagerOfTheApplicationsOwnStaysAndNothingIsDoneUntilItServes() throws Exception {
        var own = new StandardManager() {};
        assertUntouched("", own);
    }

    @Test
    void soItIsWhereTheContextIsExcluded() throws Exception {
        assertUntouched("contexts.exclude=/shop", new StandardManager());
    }

    private static void assertUntouched(String settings, StandardManager own) throws Exception {
        var engine = new StandardEngine();
        engine.setName("engine");
        var host = new StandardHost();
        host.setName("localhost");
        engine.addChild(host);
        var context = new StandardContext();
        context.setPath("/shop");
        var hooks = new TomcatHooks(Managed.services(settings));
        assertSame(own, hooks.manager(context, own));
        assertSame(own, hooks.manager(context, own));
        context.setParent(host);
        int valves = engine.getPipeline().getValves().length;
        List<LifecycleListener> watching = Arrays.stream(context.findLifecycleListeners())
                .filter(LeftAlone.class::isInstance)
                .toList();
        assertEquals(1, watching.size());
        for (String before : List.of(Lifecycle.AFTER_INIT_EVENT, Lifecycle.BEFORE_START_EVENT)) {
            watching.get(0).lifecycleEvent(new LifecycleEvent(context, before, null));
        }
        assertEquals(valves, engine.getPipeline().getValves().length);
    }
}
