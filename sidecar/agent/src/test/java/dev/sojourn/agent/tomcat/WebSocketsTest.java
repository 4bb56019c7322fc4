package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.Digest;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Generation;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.servlet.ServletContext;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose sockets Tomcat is told to close; it knows them by the session's id, or by the one that it had when the first of them was opened. */
class WebSocketsTest {
    private static final String KEY = "id";

    private final List<String> closed = new ArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Services services;

    @SuppressWarnings("NullAway.Init")
    private SojournManager manager;

    /** In the place of Tomcat's own. */
    public final class Container {
        public void closeAuthenticatedSession(String key) {
            closed.add(key);
        }
    }

    /** What Tomcat keeps with a session that has such a key. */
    public static final class Bound {
        public String key() {
            return KEY;
        }
    }

    @BeforeEach
    void start() throws Exception {
        services = Managed.services("");
        manager = new SojournManager(services, new StandardManager());
        Object servlets = Proxy.newProxyInstance(
                ServletContext.class.getClassLoader(),
                new Class<?>[] {ServletContext.class},
                (proxy, method, arguments) -> new Container());
        var context = new StandardContext() {
            @Override
            public ServletContext getServletContext() {
                return (ServletContext) servlets;
            }
        };
        context.setName("/test");
        context.setPath("/test");
        context.setSessionCookiePath("/");
        manager.setContext(context);
    }

    @Test
    void thoseOfTheSessionThatItsIdHasHadSinceStayOpen() {
        SojournSession ended = adopted(Generation.FIRST);
        WebSockets.opening(ended);
        services.ends.heard(Digest.of(ended.state().name()));
        services.ends.work();
        assertEquals(List.of(KEY), closed);
        WebSockets.opening(adopted(Generation.of(1)));
        services.ends.work();
        services.ends.work();
        assertEquals(List.of(KEY), closed);
    }

    /** Nobody can tell them apart: whose session has ended must not stay. */
    @Test
    void butForOnceWhereItsEndIsHeardOfOnlyThen() {
        SojournSession ended = adopted(Generation.FIRST);
        WebSockets.opening(ended);
        WebSockets.opening(adopted(Generation.of(1)));
        services.ends.heard(Digest.of(ended.state().name()));
        services.ends.work();
        services.ends.work();
        assertEquals(List.of(KEY), closed);
    }

    @Test
    void notThoseOfTheSameSessionThatAnotherRequestHasForItself() {
        SojournSession overtaken = adopted(Generation.FIRST);
        WebSockets.opening(overtaken);
        overtaken.state().claimed(1);
        SojournSession again = adopted(Generation.FIRST);
        assertNotSame(overtaken, again);
        WebSockets.opening(again);
        services.ends.heard(Digest.of(overtaken.state().name()));
        services.ends.work();
        services.ends.work();
        assertEquals(List.of(KEY, KEY, KEY, KEY), closed, "each twice");
    }

    /** By an application that copies all attributes to a new session when its user logs in. */
    @Test
    void thoseOfASessionThatWasGivenTheKeyOfTheOneBeforeStayOpenUntilItEnds() {
        SojournSession before = adopted(Generation.FIRST);
        SojournSession next = adopted("next", Generation.FIRST);
        WebSockets.opening(before);
        next.state().set(WebSockets.KEY, new Bound());
        services.ends.heard(Digest.of(before.state().name()));
        services.ends.work();
        WebSockets.opening(next);
        services.ends.work();
        services.ends.work();
        assertEquals(List.of(KEY), closed);
        services.ends.heard(Digest.of(next.state().name()));
        services.ends.work();
        services.ends.work();
        assertEquals(List.of(KEY, KEY, KEY), closed);
    }

    /** Its sidecar may say so, and nobody may hear it. */
    @Test
    void thoseOfASessionThatWasGivenAnotherIdHereAreClosedAtTheEndOfThat() {
        SojournSession session = adopted(Generation.FIRST);
        String before = session.state().name();
        WebSockets.opening(session);
        session.setId("new", false);
        services.ends.heard(Digest.of(before));
        services.ends.work();
        assertEquals(List.of(), closed, "it goes on");
        services.ends.heard(Digest.of(session.state().name()));
        services.ends.work();
        assertEquals(List.of(KEY), closed);
    }

    @Test
    void notWhereItHadEnded() {
        SojournSession session = adopted(Generation.FIRST);
        String before = session.state().name();
        WebSockets.opening(session);
        session.state().life().endedElsewhere();
        session.setId("new", false);
        services.ends.heard(Digest.of(before));
        services.ends.work();
        assertEquals(List.of(KEY), closed);
    }

    private SojournSession adopted(Generation generation) {
        return adopted(KEY, generation);
    }

    private SojournSession adopted(String id, Generation generation) {
        var opened = new Opened(1, 0, 0, 1_800, new Changes(false, List.of()));
        return Objects.requireNonNull(manager.adoption().adopt(id, generation, opened, true));
    }
}
