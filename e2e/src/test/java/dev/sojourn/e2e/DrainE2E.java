package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Residents;
import io.fabric8.kubernetes.api.model.LifecycleHandlerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("Pods go in other ways than by a rolling restart, while 20 users click without stickiness: nobody notices")
class DrainE2E {
    private static final int USERS = 20;
    private static final int RESIDENTS = 10_000;
    private static final int RESTARTS = 10;

    @BeforeEach
    void setUp(Shop shop) {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("stickiness", "None");
            return spec;
        });
        shop.awaitProxyRolledOut();
        shop.awaitRolledOut();
    }

    /** What takes pods away. */
    private interface Going {
        void happen(Load load) throws Exception;
    }

    @Test
    @DisplayName("every pod is evicted, one after the other")
    void evicted(Shop shop, Cluster cluster) throws Exception {
        under("evictions", shop, cluster, load -> {
            for (var pod : shop.pods()) {
                evict(shop, cluster, pod);
            }
        });
    }

    private static void evict(Shop shop, Cluster cluster, Pod pod) {
        String name = pod.getMetadata().getName();
        // Refused as long as the disruption budget does not allow it.
        await(name + " is evicted")
                .atMost(Cluster.seconds(60))
                .until(() -> cluster.client().pods().resource(pod).evict());
        // Before that all may still seem rolled out.
        await(name + " is gone")
                .atMost(Cluster.seconds(240))
                .until(() -> shop.pods().stream()
                        .noneMatch(p -> p.getMetadata()
                                .getUid()
                                .equals(pod.getMetadata().getUid())));
        shop.awaitRolledOut();
    }

    @Test
    @DisplayName("the Deployment is scaled down to one pod, and up again")
    void scaledDown(Shop shop, Cluster cluster) throws Exception {
        int replicas = shop.deployment().get().getSpec().getReplicas();
        under("scale-down", shop, cluster, load -> {
            shop.deployment().scale(1);
            shop.awaitRolledOut();
            load.awaitClicks();
            shop.deployment().scale(replicas);
            shop.awaitRolledOut();
        });
    }

    @Test
    @Tag("faults")
    @DisplayName("the application has a preStop hook of its own")
    void ownPreStop(Shop shop, Cluster cluster) throws Exception {
        under("own preStop", shop, cluster, load -> {
            shop.deployment().edit(deployment -> withPreStop(deployment, "sleep 3"));
            shop.awaitRolledOut();
            shop.deployment().edit(DrainE2E::withoutPreStop);
            shop.awaitRolledOut();
        });
    }

    @Test
    @Tag("faults")
    @DisplayName("10 rolling restarts, with 10,000 sessions of users who click before and after, not meanwhile")
    void residentSessions(Shop shop, Cluster cluster) throws Exception {
        var residents = Residents.login(shop.address(), RESIDENTS);

        under("10,000 resident sessions", shop, cluster, load -> {
            for (int i = 0; i < RESTARTS; i++) {
                shop.restart();
                shop.awaitRolledOut();
            }
        });

        assertThat(residents.stillThere())
                .as("residents who are still logged in")
                .isEqualTo(RESIDENTS);
    }

    private static void under(String what, Shop shop, Cluster cluster, Going going) throws Exception {
        try (var departures = new Departures(cluster, shop.namespace(), "app", Shop.NAME);
                var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            going.happen(load);
            load.awaitClicks();
            Verdict.nobodyNoticed(what, load.stop());
            Figures.print(departures, load.lastRequestTo());
        }
    }

    private static Deployment withPreStop(Deployment deployment, String command) {
        var hook = new LifecycleHandlerBuilder()
                .withNewExec()
                .withCommand("sh", "-c", command)
                .endExec()
                .build();
        return new DeploymentBuilder(deployment)
                .editSpec()
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withNewLifecycle()
                .withPreStop(hook)
                .endLifecycle()
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }

    private static Deployment withoutPreStop(Deployment deployment) {
        return new DeploymentBuilder(deployment)
                .editSpec()
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withLifecycle(null)
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build();
    }
}
