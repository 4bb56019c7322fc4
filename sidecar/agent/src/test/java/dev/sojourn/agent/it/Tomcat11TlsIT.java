package dev.sojourn.agent.it;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class Tomcat11TlsIT extends StandaloneConformance {
    Tomcat11TlsIT() {
        super("11.0.24", true, Connector.TLS);
    }

    @Override
    @Test
    @Disabled(
            "over HTTP/2 a Tomcat without the agent, too, answers 400 to the request that goes on after a login by form")
    public void aLoginByFormMayGoOnElsewhere() {}
}
