package dev.sojourn.agent.it;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;

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
        user().get(a(), "op=set&name=x&value=1");
        pods().store.pause();
        try {
            // Sync would wait for the store for longer than that.
            assertEquals(
                    200,
                    user().later(a(), "op=set&name=x&value=2").get(10, SECONDS).statusCode());
        } finally {
            pods().store.resume();
        }
        assertEquals("2", user().get(b(), "op=get&name=x"));
    }
}
