package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.catalina.session.FileStore;
import org.apache.catalina.session.PersistentManager;
import org.apache.catalina.session.StandardManager;
import org.junit.jupiter.api.Test;

/** Sessions that a file or a database has from before. */
class LeftStoreTest {
    @Test
    void isNamedWithItsContext() {
        var replaced = new PersistentManager();
        replaced.setStore(new FileStore());
        String complaint = String.valueOf(LeftStore.complaint(replaced, "/shop"));
        assertTrue(complaint.contains("is not taken along"), complaint);
        assertTrue(complaint.contains("context=/shop store=org.apache.catalina.session.FileStore;"), complaint);
    }

    @Test
    void ofAManagerWithoutOneNothingIsSaid() {
        assertNull(LeftStore.complaint(new PersistentManager(), "/shop"));
        assertNull(LeftStore.complaint(new StandardManager(), "/shop"));
    }
}
