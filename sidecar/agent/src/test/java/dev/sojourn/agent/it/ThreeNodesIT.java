package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever two nodes do to one session, a third one does it, too. */
class ThreeNodesIT {
    @ParameterizedTest
    @ValueSource(strings = {"Sync", "Async"})
    void whatAllOfThemDoAtOnceIsOnEach(String mode) throws Exception {
        Server server = new StockTomcat("10.1.54", true);
        try (Pods pods = new Pods("three-" + mode, server, Map.of("SOJOURN_MODE", mode))) {
            List<TomcatNode> nodes = new ArrayList<>();
            for (String name : List.of("a", "b", "c")) {
                nodes.add(pods.tomcat(name, pods.daemon(name).socket, Release.THIS, ""));
            }
            for (TomcatNode node : nodes) {
                node.awaitStarted();
            }
            Browser user = new Browser();
            inTurn(user, nodes);
            atOnce(user, nodes);
        }
    }

    private static void inTurn(Browser user, List<TomcatNode> nodes) throws Exception {
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 90; i++) {
            user.get(nodes.get(i % 3), "op=append&name=list&value=" + i);
            expected.append(i == 0 ? "" : ", ").append(i);
            assertEquals("[" + expected + "]", user.get(nodes.get((i + 1) % 3), "op=get&name=list"));
        }
        user.get(nodes.get(0), "op=remove&name=list");
    }

    private static void atOnce(Browser user, List<TomcatNode> nodes) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            all.add(user.later(nodes.get(i % 3), "op=gated&gate=all&name=n" + i + "&value=" + i));
        }
        Nodes.awaitInFlight(nodes.get(0), "all", 22);
        Nodes.awaitInFlight(nodes.get(1), "all", 21);
        Nodes.awaitInFlight(nodes.get(2), "all", 21);
        for (TomcatNode node : nodes) {
            user.get(node, "op=open&gate=all");
        }
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
        }
        for (TomcatNode node : nodes) {
            assertEquals(64, user.get(node, "op=names").split(",").length);
            for (int i = 0; i < 64; i++) {
                assertEquals("" + i, user.get(node, "op=get&name=n" + i));
            }
        }
    }
}
