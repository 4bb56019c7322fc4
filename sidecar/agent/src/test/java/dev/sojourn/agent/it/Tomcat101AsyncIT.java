package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where daemons answer before the store does, the same holds: whoever asks elsewhere waits for what is on its way. */
class Tomcat101AsyncIT extends Conformance implements StandaloneCases {
    Tomcat101AsyncIT() {
        super("10.1.54-async", new StockTomcat("10.1.54", true));
    }

    @Override
    Map<String, String> daemonSettings() {
        return Map.of("SOJOURN_MODE", "Async");
    }

    @Test
    void theDaemonsAnswerBeforeTheStoreDoes() throws Exception {
        String hello = daemonA().ask("HELLO");
        assertTrue(hello.contains("Async"), hello);
    }
}
