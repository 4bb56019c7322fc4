package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where what a JVM holds may be old, and its owner would rather have no answer than an old one. */
class OutageRefuseIT {
    @Test
    void withoutItsSidecarANodeRefusesWhatItHolds() throws Exception {
        Server server = new StockTomcat("10.1.54", true);
        try (Pods pods = new Pods("refuse", server, Map.of("SOJOURN_STORE_OUTAGE", "Refuse"))) {
            Daemon daemon = pods.daemon("a");
            TomcatNode node = pods.tomcat("a", daemon.socket, Release.THIS, "patience=100ms")
                    .awaitStarted();
            Browser user = new Browser();
            user.get(node, "op=set&name=x&value=1");
            String cookie = user.cookie();
            daemon.kill();
            assertEquals(503, user.response(node, "/app", "op=get&name=x").statusCode());
            assertEquals(cookie, user.cookie());
            assertEquals("false", new Browser().get(node, "op=has"), "who has none is none the wiser");
            daemon.start();
            Eventually.holds(
                    "it is there again",
                    Nodes.SOON,
                    () -> user.response(node, "/app", "op=get&name=x").body().equals("1"));
        }
    }
}
