package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.e2e.load.Load;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("A rolling restart logs nobody out: every pod is replaced, twice, while 20 users click")
class RollingRestartE2E {
    private static final int USERS = 20;

    @ParameterizedTest(name = "stickiness {0}")
    @ValueSource(strings = {"None", "Cookie", "Hash"})
    void everyUserStays(String stickiness, Shop shop, Cluster cluster) throws Exception {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("stickiness", stickiness);
            return spec;
        });
        shop.awaitProxyRolledOut();

        try (var departures = new Departures(cluster, shop.namespace(), "app", Shop.NAME);
                var load = Load.start(shop.address(), USERS)) {
            for (int i = 0; i < 2; i++) {
                shop.restart();
                shop.awaitRolledOut();
            }
            Verdict.nobodyNoticed("stickiness " + stickiness, load.stop());
            Figures.print(departures, load.lastRequestTo());
            assertThat(departures.pods().values().stream()
                            .filter(pod -> pod.deleted().isPresent()))
                    .as("pods replaced")
                    .hasSizeGreaterThanOrEqualTo(6);
        }
    }
}
