package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Browser;
import dev.sojourn.e2e.load.Load;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(World.class)
@DisplayName(
        "A SessionCluster moves from the store that the operator runs to one brought along, and nobody is logged out")
class StoreMoveE2E {
    private static final int USERS = 20;
    private static final String NAMESPACE = "e2e-move";
    private static final Map<String, Object> THEIRS = TheirStore.external(NAMESPACE);

    @TempDir
    private Path scratch;

    private @Nullable Shop shop;

    @AfterEach
    void tearDown() {
        Objects.requireNonNull(shop).close();
    }

    @Test
    @DisplayName("in three steps, while 20 users click and one does not")
    void everyUserStays(Cluster cluster) throws Exception {
        var mine = new Shop(cluster, NAMESPACE);
        shop = mine;
        mine.deployApplication();
        mine.makeSessionAware();
        new TheirStore(cluster, NAMESPACE, scratch).start("single", false);

        var idler = new Browser(HttpClient.newHttpClient(), mine.address(), "idler");
        idler.login();
        int before = idler.click().clicks();
        try (var load = Load.start(mine.address(), USERS)) {
            load.awaitClicks();
            // At once, the managed store would go with all sessions.
            apply(mine, Map.of("external", THEIRS));
            await("steps that were left out are refused")
                    .atMost(Cluster.seconds(60))
                    .until(() -> mine.condition("InjectionReady"), said -> said.startsWith("False/StepSkipped"));
            apply(mine, Map.of("next", Map.of("external", THEIRS)));
            await("pods are rolled with the next store")
                    .atMost(Cluster.seconds(60))
                    .until(() -> mine.sessionCluster().get().get("status", "injection", "next") != null);
            // Too early: pods of before are still there.
            apply(mine, Map.of("external", THEIRS, "previous", Map.of("managed", true)));
            await("the second step waits for the end of the first")
                    .atMost(Cluster.seconds(60))
                    .until(() -> mine.condition("InjectionReady"), said -> said.startsWith("False/WaitingForPods"));
            mine.awaitReady();
            load.awaitClicks();
            await("a sidecar says that the previous store is empty")
                    .atMost(Cluster.seconds(120))
                    .until(() -> mine.pods().stream()
                            .map(pod -> Shell.run(
                                    "kubectl",
                                    "-n",
                                    NAMESPACE,
                                    "logs",
                                    pod.getMetadata().getName(),
                                    "-c",
                                    "sojourn"))
                            .anyMatch(log -> log.contains("previous store has no sessions any more")));
            store(mine, Map.of("external", THEIRS));
            await("the managed store is gone")
                    .atMost(Cluster.seconds(120))
                    .until(() -> cluster.client()
                                    .apps()
                                    .statefulSets()
                                    .inNamespace(NAMESPACE)
                                    .withName(Shop.NAME + "-store")
                                    .get()
                            == null);
            load.awaitClicks();
            Verdict.nobodyNoticed("another store", load.stop());
        }
        assertThat(idler.click().clicks()).as("clicks").isEqualTo(before + 1);
    }

    private static void store(Shop shop, Map<String, Object> store) {
        apply(shop, store);
        shop.awaitReady();
    }

    private static void apply(Shop shop, Map<String, Object> store) {
        shop.applySessionCluster(spec -> {
            spec.put("store", store);
            return spec;
        });
    }
}
