package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.catalina.session.StandardManager;
import org.apache.catalina.util.StandardSessionIdGenerator;
import org.junit.jupiter.api.Test;

class ManagerSettingsTest {
    /** With what it has from Tomcat 10.1 on. */
    public static class Later extends StandardManager {
        private boolean check;
        private boolean atStart;

        public boolean getSessionActivityCheck() {
            return check;
        }

        public void setSessionActivityCheck(boolean to) {
            check = to;
        }

        public boolean getSessionLastAccessAtStart() {
            return atStart;
        }

        public void setSessionLastAccessAtStart(boolean to) {
            atStart = to;
        }
    }

    private final Later replaced = new Later();

    @Test
    void whatOnlyLaterManagersHaveIsTakenFromThose() {
        replaced.setSessionActivityCheck(true);
        replaced.setSessionLastAccessAtStart(true);
        Later taken = new Later();
        ManagerSettings.take(replaced, taken);
        assertTrue(taken.check);
        assertTrue(taken.atStart);
    }

    @Test
    void whereThereIsNoneAllElseIs() {
        replaced.setSessionAttributeNameFilter("user.*");
        replaced.setSessionIdGenerator(new StandardSessionIdGenerator());
        StandardManager taken = new StandardManager();
        ManagerSettings.take(replaced, taken);
        assertEquals("user.*", taken.getSessionAttributeNameFilter());
        assertEquals(replaced.getSessionIdGenerator(), taken.getSessionIdGenerator());
    }
}
