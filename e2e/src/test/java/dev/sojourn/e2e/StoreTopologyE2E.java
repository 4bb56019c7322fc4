package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@DisplayName("A store with more than one pod stays up, and loses nothing that was confirmed")
class StoreTopologyE2E {
    private static final int USERS = 20;

    /** Small, and without volumes: a pod that comes back is empty, which is the worst case. */
    private static final Map<String, Object> RESOURCES =
            Map.of("requests", Map.of("cpu", "20m", "memory", "32Mi"), "limits", Map.of("memory", "128Mi"));

    private @Nullable Shop shop;

    @AfterEach
    void tearDown() {
        Objects.requireNonNull(shop).close();
    }

    @Test
    @DisplayName(
            "Replicated: the primary is drained, lost without a warning, and every pod is replaced, while 20 users click")
    void replicated(Cluster cluster) throws Exception {
        replicated(cluster, "replicated store", Map.of("topology", "Replicated"));
    }

    @Test
    @Tag("faults")
    @DisplayName("Replicated, on Redis 7")
    void replicatedOnRedis(Cluster cluster) throws Exception {
        replicated(cluster, "replicated store on Redis", Map.of("topology", "Replicated", "image", "redis:7.0"));
    }

    private void replicated(Cluster cluster, String what, Map<String, Object> managed) throws Exception {
        var mine = start(cluster, "e2e-replicated", managed);
        var pods = new StorePods(cluster, mine);

        try (var load = Load.start(mine.address(), USERS)) {
            String drained = onlyPrimary(mine);
            deletePod(cluster, mine, drained, null);
            awaitPrimaryOtherThan(mine, drained, load);

            String lost = onlyPrimary(mine);
            deletePod(cluster, mine, lost, 0L);
            awaitPrimaryOtherThan(mine, lost, load);
            pods.assertThatNoneStartedAgain();

            replaceEveryPod(cluster, mine, load);
            Verdict.nobodyNoticed(what, load.stop());
        }
        pods.assertThatNoneStartedAgain();
        pods.assertThatEveryKeyExpires();
    }

    @Test
    @Tag("faults")
    @DisplayName(
            "Sharded: a shard is added and taken away, a primary is lost, and every pod is replaced, while 20 users click")
    void sharded(Cluster cluster) throws Exception {
        sharded(cluster, "sharded store", Map.of("topology", "Sharded"));
    }

    @Test
    @Tag("faults")
    @DisplayName("Sharded, on Redis 7")
    void shardedOnRedis(Cluster cluster) throws Exception {
        sharded(cluster, "sharded store on Redis", Map.of("topology", "Sharded", "image", "redis:7.0"));
    }

    private void sharded(Cluster cluster, String what, Map<String, Object> managed) throws Exception {
        var mine = start(cluster, "e2e-sharded", managed);
        var pods = new StorePods(cluster, mine);

        try (var load = Load.start(mine.address(), USERS)) {
            reshard(mine, 4);
            awaitStore(mine, 8, load);
            assertThat(mine.storePrimaries()).hasSize(4);

            losePrimary(cluster, mine);
            awaitStore(mine, 8, load);

            reshard(mine, 3);
            awaitStore(mine, 6, load);
            assertThat(mine.storePrimaries()).hasSize(3);

            replaceEveryPod(cluster, mine, load);
            Verdict.nobodyNoticed(what, load.stop());
        }
        pods.assertThatNoneStartedAgain();
        pods.assertThatEveryKeyExpires();
    }

    private Shop start(Cluster cluster, String namespace, Map<String, Object> managed) {
        var mine = new Shop(cluster, namespace);
        shop = mine;
        mine.deployApplication();
        mine.applySessionCluster(spec -> {
            var store = Shop.child(Shop.child(spec, "store"), "managed");
            store.putAll(managed);
            store.put("ephemeral", true);
            store.put("resources", RESOURCES);
            return spec;
        });
        mine.awaitReady();
        return mine;
    }

    private static void reshard(Shop shop, int shards) {
        shop.sessionCluster().edit(resource -> {
            Map<String, Object> spec = resource.get("spec");
            Shop.child(Shop.child(spec, "store"), "managed").put("shards", shards);
            return resource;
        });
    }

    private static void replaceEveryPod(Cluster cluster, Shop shop, Load load) {
        int pods = store(cluster, shop).get().getSpec().getReplicas();
        store(cluster, shop).rolling().restart();
        await("every pod of the store is replaced").atMost(Cluster.seconds(240)).until(() -> {
            var set = store(cluster, shop).get();
            return Objects.equals(
                            set.getStatus().getObservedGeneration(),
                            set.getMetadata().getGeneration())
                    && Objects.equals(set.getStatus().getUpdatedReplicas(), pods);
        });
        awaitStore(shop, pods, load);
    }

    private static RollableScalableResource<StatefulSet> store(Cluster cluster, Shop shop) {
        return cluster.client()
                .apps()
                .statefulSets()
                .inNamespace(shop.namespace())
                .withName(Shop.NAME + "-store");
    }

    /** Returns when another pod of its name is ready: until the loss is seen all seems to be well. */
    private static void losePrimary(Cluster cluster, Shop shop) {
        String name = shop.storePrimaries().get(0);
        var pod = cluster.client().pods().inNamespace(shop.namespace()).withName(name);
        String lost = pod.get().getMetadata().getUid();
        deletePod(cluster, shop, name, 0L);
        await("another " + name + " is ready").atMost(Cluster.seconds(240)).until(() -> {
            var now = pod.get();
            return now != null && !now.getMetadata().getUid().equals(lost) && Readiness.isPodReady(now);
        });
    }

    /** @param grace null: as the pod says; 0: it is not asked */
    private static void deletePod(Cluster cluster, Shop shop, String pod, @Nullable Long grace) {
        var resource = cluster.client().pods().inNamespace(shop.namespace()).withName(pod);
        if (grace == null) {
            resource.delete();
        } else {
            resource.withGracePeriod(grace).delete();
        }
    }

    private static void awaitPrimaryOtherThan(Shop shop, String before, Load load) {
        await("another primary than " + before).atMost(Cluster.seconds(60)).until(() -> {
            var now = shop.storePrimaries();
            return now.size() == 1 && !now.get(0).equals(before);
        });
        awaitStore(shop, 3, load);
    }

    private static String onlyPrimary(Shop shop) {
        return await("a primary")
                .atMost(Cluster.seconds(60))
                .until(shop::storePrimaries, now -> now.size() == 1)
                .get(0);
    }

    /** Waits until all is well again, and users have clicked on it. */
    private static void awaitStore(Shop shop, int pods, Load load) {
        shop.awaitStore(pods);
        load.awaitClicks();
    }
}
