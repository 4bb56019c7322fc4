package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(World.class)
@DisplayName("Deleting the SessionCluster takes everything away again")
class DeletionE2E {
    @SuppressWarnings("NullAway.Init")
    private Shop shop;

    @Test
    @DisplayName("and the application's pods roll back to exactly what they were")
    void leavesNothing(Cluster cluster) {
        shop = new Shop(cluster, "e2e-deletion");
        shop.deployApplication();
        var templateBefore = shop.deployment().get().getSpec().getTemplate();
        var podSpecBefore = shop.pods().get(0).getSpec();

        shop.makeSessionAware();
        assertThat(shop.pods())
                .allSatisfy(pod -> assertThat(pod.getSpec().getInitContainers())
                        .extracting("name")
                        .contains("sojourn"));
        assertThat(ours(shop, cluster)).as("what the operator made").isNotEmpty();

        shop.sessionCluster().delete();
        await("SessionCluster is gone")
                .atMost(Cluster.seconds(330))
                .until(() -> shop.sessionCluster().get() == null);
        await("what the operator made is gone")
                .atMost(Cluster.seconds(120))
                .untilAsserted(() -> assertThat(ours(shop, cluster)).isEmpty());
        shop.awaitRolledOut();

        assertThat(shop.deployment().get().getSpec().getTemplate())
                .as("pod template")
                .isEqualTo(templateBefore);
        var podSpec = shop.pods().get(0).getSpec();
        assertThat(podSpec.getInitContainers()).isEqualTo(podSpecBefore.getInitContainers());
        assertThat(podSpec.getContainers().get(0).getEnv())
                .isEqualTo(podSpecBefore.getContainers().get(0).getEnv());
    }

    @Test
    @Tag("faults")
    @DisplayName(
            "but what --cascade=orphan leaves, which a SessionCluster with another store does not touch, and says so")
    void leavesWhatIsToStay(Cluster cluster, @TempDir Path scratch) throws Exception {
        shop = new Shop(cluster, "e2e-orphan");
        shop.deployApplication();
        shop.makeSessionAware();
        var store = cluster.client()
                .apps()
                .statefulSets()
                .inNamespace(shop.namespace())
                .withName(Shop.NAME + "-store");
        var left = store.get().getMetadata().getUid();
        new TheirStore(cluster, shop.namespace(), scratch).start("single", false);

        shop.sessionCluster().withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
        await("SessionCluster is gone")
                .atMost(Cluster.seconds(330))
                .until(() -> shop.sessionCluster().get() == null);
        shop.applySessionCluster(spec -> {
            spec.put("store", Map.of("external", TheirStore.external(shop.namespace())));
            return spec;
        });
        shop.awaitReady();
        shop.awaitStoreSays("True/StoreLeft", "kubectl delete");
        assertThat(store.get().getMetadata())
                .as("the store that was left")
                .satisfies(found -> assertThat(found.getUid()).isEqualTo(left))
                .satisfies(found -> assertThat(found.getDeletionTimestamp()).isNull());
    }

    @AfterEach
    void tearDown() {
        shop.close();
    }

    /** Everything in the namespace that carries the operator's label, of every kind that it makes. */
    private static List<String> ours(Shop shop, Cluster cluster) {
        var client = cluster.client();
        String namespace = shop.namespace();
        String label = "sojourn.dev/owned-by";
        return Stream.of(
                        client.apps()
                                .deployments()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.apps()
                                .statefulSets()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.services()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.secrets()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.configMaps()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.serviceAccounts()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.persistentVolumeClaims()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.rbac()
                                .roles()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.rbac()
                                .roleBindings()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.network()
                                .v1()
                                .networkPolicies()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems(),
                        client.policy()
                                .v1()
                                .podDisruptionBudget()
                                .inNamespace(namespace)
                                .withLabel(label)
                                .list()
                                .getItems())
                .flatMap(List::stream)
                .map(HasMetadata.class::cast)
                .map(object -> object.getKind() + "/" + object.getMetadata().getName())
                .toList();
    }
}
