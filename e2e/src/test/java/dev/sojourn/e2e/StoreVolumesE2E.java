package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Tally;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.StorageClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is behind a claim here does not grow; that the claim asks for it, and the store's pods go on, is what there is to see. */
@ExtendWith(World.class)
@DisplayName("The volumes of a store grow, and nobody notices")
class StoreVolumesE2E {
    private static final int USERS = 20;
    private static final String STORE = Shop.NAME + "-store";

    /** The cluster's own, and its volumes may grow. */
    private static final StorageClass GROWING = new StorageClassBuilder()
            .withNewMetadata()
            .withName("e2e-growing")
            .endMetadata()
            .withProvisioner("rancher.io/local-path")
            .withVolumeBindingMode("WaitForFirstConsumer")
            .withAllowVolumeExpansion(true)
            .build();

    private @Nullable Shop shop;
    private @Nullable Cluster cluster;

    @AfterEach
    void tearDown() {
        Objects.requireNonNull(shop).close();
        Objects.requireNonNull(cluster).client().resource(GROWING).delete();
    }

    @Test
    @DisplayName(
            "while 20 users click: the same pods on the same volumes; what cannot be had is refused with the reason")
    void theyGrow(Cluster world) throws Exception {
        cluster = world;
        world.client().resource(GROWING).serverSideApply();
        var mine = new Shop(world, "e2e-volumes");
        shop = mine;
        mine.deployApplication();
        size(mine, "1Gi");
        mine.awaitReady();
        String volume = uid(claim());
        String pod = uid(pod());
        try (var load = Load.start(mine.address(), USERS)) {
            load.awaitClicks();
            size(mine, "2Gi");
            await("the StatefulSet has volumes of 2Gi")
                    .atMost(Cluster.seconds(60))
                    .until(this::sizeOfNextVolume, "2Gi"::equals);
            mine.awaitReady();
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("volumes grew: %s%n", tally);
            assertThat(tally.failures() + tally.lost() + tally.stale() + tally.corrupt())
                    .as(tally.firstProblem())
                    .isZero();
        }
        assertThat(requested(claim())).isEqualTo("2Gi");
        assertThat(claim().getMetadata().getDeletionTimestamp()).isNull();
        assertThat(uid(claim())).as("the volume").isEqualTo(volume);
        assertThat(uid(pod())).as("the store's pod").isEqualTo(pod);
        await("the volume belongs to the StatefulSet again")
                .atMost(Cluster.seconds(60))
                .until(() -> claim().getMetadata().getOwnerReferences().size() == 1);

        size(mine, "1Gi");
        mine.awaitStoreSays("False/StorageUnavailable", "cannot shrink");
        world.client()
                .resource(new StorageClassBuilder(GROWING)
                        .withAllowVolumeExpansion(false)
                        .build())
                .forceConflicts()
                .serverSideApply();
        size(mine, "3Gi");
        mine.awaitStoreSays("False/StorageUnavailable", "cannot grow");
        size(mine, "2Gi");
        mine.awaitReady();
    }

    private static void size(Shop shop, String size) {
        shop.applySessionCluster(spec -> {
            var storage = Map.of(
                    "size", size, "storageClassName", GROWING.getMetadata().getName());
            spec.put("store", Map.of("managed", Map.of("storage", storage)));
            return spec;
        });
    }

    private PersistentVolumeClaim claim() {
        return client().persistentVolumeClaims()
                .inNamespace(namespace())
                .withName("data-" + STORE + "-0")
                .get();
    }

    private HasMetadata pod() {
        return client().pods().inNamespace(namespace()).withName(STORE + "-0").get();
    }

    private String sizeOfNextVolume() {
        var set = client().apps()
                .statefulSets()
                .inNamespace(namespace())
                .withName(STORE)
                .get();
        return set == null
                ? "none"
                : requested(set.getSpec().getVolumeClaimTemplates().get(0));
    }

    private static String requested(PersistentVolumeClaim claim) {
        return String.valueOf(claim.getSpec().getResources().getRequests().get("storage"));
    }

    private static String uid(HasMetadata resource) {
        return resource.getMetadata().getUid();
    }

    private KubernetesClient client() {
        return Objects.requireNonNull(cluster).client();
    }

    private String namespace() {
        return Objects.requireNonNull(shop).namespace();
    }
}
