package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.Principal;
import java.util.List;
import org.apache.catalina.authenticator.FormAuthenticator;
import org.apache.catalina.authenticator.SingleSignOn;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.realm.GenericPrincipal;
import org.junit.jupiter.api.Test;

class LocalLoginsTest {
    private final StandardHost host = new StandardHost();
    private final StandardContext context = new StandardContext();
    private final FormAuthenticator form = new FormAuthenticator();

    LocalLoginsTest() {
        context.setParent(host);
        context.getPipeline().addValve(form);
    }

    @Test
    void aLoginByFormTravels() {
        assertEquals(List.of(), LocalLogins.complaints(context, "/shop"));
    }

    @Test
    void oneThatIsNotKeptDoesNot() {
        form.setCache(false);
        List<String> complaints = LocalLogins.complaints(context, "/shop");
        assertEquals(1, complaints.size());
        assertTrue(complaints.get(0).contains("cache=false"), complaints.get(0));
        assertTrue(complaints.get(0).endsWith("context=/shop"), complaints.get(0));
    }

    @Test
    void norDoesSingleSignOn() {
        host.getPipeline().addValve(new SingleSignOn());
        List<String> complaints = LocalLogins.complaints(context, "/shop");
        assertEquals(1, complaints.size());
        assertTrue(complaints.get(0).startsWith("the SingleSignOn valve"), complaints.get(0));
    }

    @Test
    void whatATomcatsPrincipalLeavesOutIsNamed() {
        Principal own = () -> "ann";
        String complaint = LocalLogins.complaint(new GenericPrincipal("ann", "", List.of("user"), own), "/shop")
                .orElseThrow();
        assertTrue(complaint.endsWith("context=/shop class=" + own.getClass().getName()), complaint);
        assertTrue(LocalLogins.complaint(new GenericPrincipal("ann", "", List.of("user")), "/shop")
                .isEmpty());
        assertTrue(LocalLogins.complaint(null, "/shop").isEmpty());
    }
}
