package dev.sojourn.agent.it;

import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(
        value = "dev.sojourn.agent.it.Connector#hasNativeLibrary",
        disabledReason = "needs Tomcat's native library (Debian: libtcnative-1)")
class Tomcat9AprIT extends StandaloneConformance {
    Tomcat9AprIT() {
        super("9.0.100", false, Connector.APR);
    }
}
