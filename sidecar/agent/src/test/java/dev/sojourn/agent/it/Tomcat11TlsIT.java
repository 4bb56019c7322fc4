package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

class Tomcat11TlsIT extends StandaloneConformance {
    Tomcat11TlsIT() {
        super("11.0.24", true, Connector.TLS);
    }

    /** Of a denied request without a body: over HTTP/2 a Tomcat without the agent, too, answers 400 to one that had one. */
    @Override
    @Test
    public void aLoginByFormMayGoOnElsewhere() throws Exception {
        assertEquals("please log in", user().path(a(), "/app/secure/order").body());
        HttpResponse<String> loggedIn =
                user().post(b(), "/app/secure/j_security_check", "j_username=ann&j_password=secret");
        assertEquals(302, loggedIn.statusCode(), loggedIn.body());
        assertEquals("GET ann null", user().path(a(), "/app/secure/order").body());
        assertEquals("GET ann null", user().path(b(), "/app/secure/order").body());
    }
}
