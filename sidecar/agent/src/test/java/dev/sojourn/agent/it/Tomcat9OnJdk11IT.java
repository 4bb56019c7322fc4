package dev.sojourn.agent.it;

import org.junit.jupiter.api.condition.EnabledIf;

/** The whole suite by loopback TCP, with a token that the sidecar draws. */
@EnabledIf(value = "dev.sojourn.agent.it.Jdk#hasOld", disabledReason = Jdk.OLD_NEEDED)
class Tomcat9OnJdk11IT extends Conformance implements StandaloneCases {
    Tomcat9OnJdk11IT() throws Exception {
        super("9.0.100-jdk11", Jdk.OLD.running(new StockTomcat("9.0.100", false)));
    }
}
