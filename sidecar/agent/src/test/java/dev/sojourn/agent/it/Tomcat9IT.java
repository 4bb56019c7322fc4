package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

class Tomcat9IT extends StandaloneConformance {
    Tomcat9IT() {
        super("9.0.100", false);
    }

    @Test
    void theNativeConnectorIsHeldToTheSame() throws Exception {
        assumeTrue(StockTomcat.hasNativeLibrary(), "needs Tomcat's native library (Debian: libtcnative-1)");
        anotherConnector(Ports::apr, "apr");
    }
}
