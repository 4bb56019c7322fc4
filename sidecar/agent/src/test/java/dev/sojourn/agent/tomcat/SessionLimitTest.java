package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.catalina.core.StandardContext;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.Test;

/** What a manager has in a JVM says nothing of how many users there are. */
class SessionLimitTest {
    @Test
    void theOneOfTheManagerThatIsReplacedRefusesNobody() throws Exception {
        var replaced = new StandardManager();
        replaced.setMaxActiveSessions(0);
        assertEquals("id", begun(new SojournManager(Managed.services(""), replaced)));
    }

    @Test
    void norDoesOneThatIsSetLater() throws Exception {
        var manager = new SojournManager(Managed.services(""), new StandardManager());
        manager.setMaxActiveSessions(0);
        assertEquals("id", begun(manager));
    }

    @Test
    void itIsNamedWithItsContext() {
        String complaint = String.valueOf(SessionLimit.complaint(0, "/shop"));
        assertTrue(complaint.contains("maxActiveSessions=0 "), complaint);
        assertTrue(complaint.endsWith("context=/shop"), complaint);
        assertNull(SessionLimit.complaint(-1, "/shop"));
    }

    private static String begun(SojournManager manager) {
        var context = new StandardContext();
        context.setName("/test");
        context.setPath("/test");
        manager.setContext(context);
        return manager.createSession("id").getIdInternal();
    }
}
