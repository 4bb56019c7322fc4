package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("An application that gets another name")
class RenameE2E {
    private static final int USERS = 10;
    private static final String NEW = "web-" + Shop.NAME;
    private static final String LABEL = "sojourn.dev/cluster";

    private Shop shop;
    private Cluster cluster;

    @BeforeAll
    void setUp(Cluster world) {
        cluster = world;
        shop = new Shop(world, "e2e-rename");
        shop.deployApplication();
        shop.makeSessionAware();
    }

    @AfterAll
    void tearDown() {
        shop.close();
    }

    @Test
    @Order(1)
    @DisplayName("keeps its users: the SessionCluster names the new workload, the old one serves until that is ready")
    void keepsItsUsers() throws Exception {
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            var old = shop.deployment().get();
            shop.applySessionCluster(spec -> {
                Shop.child(spec, "workload").put("name", NEW);
                return spec;
            });
            await("the new one is awaited")
                    .atMost(Cluster.seconds(60))
                    .untilAsserted(() -> assertThat(shop.condition("Ready")).startsWith("False/WorkloadNotFound"));
            load.awaitClicks();

            cluster.client().resource(renamed(old)).create();
            shop.awaitSaysReady();
            // The first ones came before the label did.
            await("the new one's pods have the sidecar")
                    .atMost(Cluster.seconds(120))
                    .untilAsserted(() -> assertThat(podsOf(NEW))
                            .hasSize(old.getSpec().getReplicas())
                            .allMatch(Shop::isInjected));
            assertThat(shop.deployment().get().getSpec().getTemplate())
                    .as("the old one's template")
                    .isEqualTo(old.getSpec().getTemplate());
            load.awaitClicks();

            shop.deployment().delete();
            await("the old one's pods have gone")
                    .atMost(Cluster.seconds(120))
                    .until(() -> shop.pods().isEmpty());
            load.awaitClicks();
            Verdict.sessionsAreRight("a workload was renamed", load.stop());
        }
        shop.awaitSaysReady();
    }

    @Test
    @Order(2)
    @DisplayName("and is let go with whatever else has the label when the SessionCluster is deleted")
    void isLetGo() {
        shop.deployApplication();
        Shell.run(
                "kubectl",
                "-n",
                shop.namespace(),
                "patch",
                "deployment",
                Shop.NAME,
                "--type=merge",
                "-p",
                """
                {"spec": {"template": {"metadata": {"labels": {"%s": "%s"}}}}}
                """.formatted(LABEL, Shop.NAME));
        shop.awaitRolledOut();
        assertThat(shop.pods()).isNotEmpty().allMatch(Shop::isInjected);

        shop.sessionCluster().delete();
        await("SessionCluster is gone")
                .atMost(Cluster.seconds(240))
                .until(() -> shop.sessionCluster().get() == null);
        for (String name : List.of(Shop.NAME, NEW)) {
            assertThat(labels(name)).as(name).doesNotContainKey(LABEL);
            // What is over is not waited for, and is there for a moment more.
            await(name + " has no pod with a sidecar")
                    .atMost(Cluster.seconds(60))
                    .untilAsserted(() -> assertThat(podsOf(name)).noneMatch(Shop::isInjected));
        }
    }

    private Map<String, String> labels(String name) {
        return cluster.client()
                .apps()
                .deployments()
                .inNamespace(shop.namespace())
                .withName(name)
                .get()
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getLabels();
    }

    private List<Pod> podsOf(String name) {
        return cluster.client()
                .pods()
                .inNamespace(shop.namespace())
                .withLabel("app", name)
                .list()
                .getItems();
    }

    /** As its owner would write it: without what the operator has put into the old one's template. */
    private static Deployment renamed(Deployment old) {
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName(NEW)
                .withNamespace(old.getMetadata().getNamespace())
                .endMetadata()
                .withNewSpec()
                .withReplicas(old.getSpec().getReplicas())
                .withNewSelector()
                .addToMatchLabels("app", NEW)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", NEW)
                .endMetadata()
                .withSpec(old.getSpec().getTemplate().getSpec())
                .endTemplate()
                .endSpec()
                .build();
    }
}
