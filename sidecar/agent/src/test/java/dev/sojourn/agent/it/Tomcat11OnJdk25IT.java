package dev.sojourn.agent.it;

import org.junit.jupiter.api.condition.EnabledIf;

@EnabledIf(value = "dev.sojourn.agent.it.Jdk#hasNew", disabledReason = Jdk.NEW_NEEDED)
class Tomcat11OnJdk25IT extends Conformance implements StandaloneCases, QuietJvmCases {
    Tomcat11OnJdk25IT() throws Exception {
        super("11.0.24-jdk25", Jdk.NEW.running(new StockTomcat("11.0.24", true)));
    }
}
