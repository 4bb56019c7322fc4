package dev.sojourn.agent.it;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
        user().get(a(), "op=set&name=x&value=1");
        pods().store.pause();
        try {
            assertEquals(
                    200,
                    user().later(a(), "op=set&name=x&value=2").get(60, SECONDS).statusCode());
            // Sync would have refused it in the end, and have nothing that it has answered for.
            assertTrue(daemonA().metric("sojourn_queue_bytes") > 0, "the daemon does not hold it");
        } finally {
            pods().store.resume();
        }
        Eventually.holds(
                "the other node has it",
                SOON,
                () -> user().response(b(), "/app", "op=get&name=x").body().equals("2"));
    }
}
