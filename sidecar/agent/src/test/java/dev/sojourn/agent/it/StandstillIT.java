package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A pod that stands still, its sidecar too, for longer than anybody waits for an answer, while its users go on elsewhere. */
class StandstillIT {
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    @Test
    void noPartOfASessionComesBackAndNoOldValueIsAnswered() throws Exception {
        Server server = new StockTomcat("10.1.54", true);
        try (Pods pods = new Pods("standstill", server, Map.of("SOJOURN_STORE_PATIENCE", "3s"))) {
            Daemon daemonB = pods.daemon("b");
            TomcatNode a = pods.tomcat("a", pods.daemon("a").socket, Release.THIS, "");
            TomcatNode b = pods.tomcat("b", daemonB.socket, Release.THIS, "");
            a.awaitStarted();
            b.awaitStarted();
            Browser leaves = new Browser();
            leaves.get(b, "op=set&name=x&value=old");
            Browser stays = new Browser();
            stays.get(b, "op=set&name=x&value=old");
            CompletableFuture<HttpResponse<String>> late =
                    leaves.later(b, "op=gated&gate=standstill&name=y&value=zombie");
            Nodes.awaitInFlight(b, "standstill", 1);
            daemonB.pause();
            CompletableFuture<HttpResponse<String>> asksForOne = untilItAsks(leaves, b, "op=has", 1);
            CompletableFuture<HttpResponse<String>> asksForOther = untilItAsks(stays, b, "op=get&name=x", 2);
            b.pause();
            long began = System.nanoTime();

            eventually(stays, a, "op=set&name=x&value=new");
            eventually(leaves, a, "op=invalidate");
            Eventually.holds("it stood still for so long", STANDSTILL.multipliedBy(2), () -> {
                assertEquals("false", leaves.get(a, "op=has"));
                assertEquals("new", stays.get(a, "op=get&name=x"));
                return System.nanoTime() - began > STANDSTILL.toNanos();
            });
            assertFalse(late.isDone() || asksForOne.isDone() || asksForOther.isDone(), "it did not stand still");

            // Not the sidecar first: the JVM is to find that nobody has answered.
            b.resume();
            new Browser().get(b, "op=open&gate=standstill");
            daemonB.resume();
            assertEquals("false", asksForOne.get(60, TimeUnit.SECONDS).body());
            assertEquals("new", asksForOther.get(60, TimeUnit.SECONDS).body());
            late.get(60, TimeUnit.SECONDS);
            for (TomcatNode node : List.of(b, a, b)) {
                assertEquals("false", leaves.get(node, "op=has"));
                assertEquals("new", stays.get(node, "op=get&name=x"));
            }
        }
    }

    /** For a second after the last one a request may find that it need not ask: it is made again. */
    private static CompletableFuture<HttpResponse<String>> untilItAsks(
            Browser user, TomcatNode node, String query, int asking) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> made = new ArrayList<>();
        made.add(user.later(node, query));
        Eventually.holds("the sidecar is asked", Nodes.SOON, () -> {
            if (made.get(made.size() - 1).isDone()) {
                made.add(user.later(node, query));
            }
            return node.threads().split("dev\\.sojourn\\.agent\\.client\\.Call\\.await", -1).length > asking;
        });
        return made.get(made.size() - 1);
    }

    /** Once the sidecar that stands still has no claim any more. */
    private static void eventually(Browser user, TomcatNode node, String query) throws Exception {
        Eventually.holds(
                query, STANDSTILL, () -> user.response(node, "/app", query).statusCode() == 200);
    }
}
