package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What was sent to a sidecar is done, and nobody hears of it. */
class LostAnswerIT {
    @Test
    void whoLogsOutBeforeTheCreationWasAnsweredIsLoggedOut() throws Exception {
        Server server = new StockTomcat("10.1.54", true);
        try (Pods pods = new Pods("lost-answer", server);
                Watch watch = new Watch(pods.store)) {
            Daemon daemon = pods.daemon("a");
            TomcatNode a = pods.tomcat("a", daemon.socket, Release.THIS, "patience=100ms,timeout=1s");
            TomcatNode b = pods.tomcat("b", pods.daemon("b").socket, Release.THIS, "");
            a.awaitStarted();
            b.awaitStarted();
            // What is sent next waits for its answer.
            Eventually.holds("its sidecar answers", Nodes.SOON, () -> {
                long commits = daemon.requests("commit");
                new Browser().get(a, "op=create");
                return daemon.requests("commit") > commits;
            });
            Browser user = new Browser();
            daemon.pause();
            user.get(a, "op=set&name=user&value=Ann");
            Browser copy = user.withCookie(user.cookie());
            user.get(a, "op=invalidate");
            daemon.resume();
            Eventually.holds("what was sent has come to the store", Nodes.SOON, () -> watch.isStored(copy));
            Eventually.holds(
                    "and so has the end",
                    Nodes.SOON,
                    () -> copy.get(b, "op=has").equals("false"));
            for (TomcatNode node : List.of(a, b)) {
                assertEquals("false", copy.get(node, "op=has"));
            }
        }
    }
}
