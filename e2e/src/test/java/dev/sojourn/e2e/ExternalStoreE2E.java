package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(World.class)
@Tag("faults")
@DisplayName("A store brought along, with TLS and a user who may do no more than is needed")
class ExternalStoreE2E {
    private static final int USERS = 20;
    private static final String NAMESPACE = "e2e-external";
    private static final String HOST = TheirStore.host(NAMESPACE);
    private static final String SINGLE = "rediss://" + HOST + ":6379";

    @TempDir
    private Path scratch;

    private @Nullable Shop shop;
    private @Nullable TheirStore store;

    @AfterEach
    void tearDown() {
        Objects.requireNonNull(shop).close();
    }

    @Test
    @DisplayName("one server")
    void single(Cluster cluster) throws Exception {
        rollingRestartWith(cluster, "single", SINGLE, () -> {});
    }

    @Test
    @DisplayName("Sentinels that ask for a login of their own, and promote the replica meanwhile")
    void sentinel(Cluster cluster) throws Exception {
        rollingRestartWith(cluster, "sentinel", "rediss-sentinel://" + HOST + ":26379#shop", () -> {
            String before = ask(TheirStore.SENTINEL, "sentinel", "get-master-addr-by-name", "shop");
            // Sentinel itself lets the old primary go on until the new one is there, and what it takes meanwhile is
            // lost.
            ask(TheirStore.PRIMARY, "client", "pause", "10000", "write");
            ask(TheirStore.SENTINEL, "sentinel", "failover", "shop");
            await("another primary")
                    .atMost(Cluster.seconds(60))
                    .until(() -> !ask(TheirStore.SENTINEL, "sentinel", "get-master-addr-by-name", "shop")
                            .equals(before));
        });
    }

    @Test
    @DisplayName("a cluster of three")
    void cluster(Cluster cluster) throws Exception {
        rollingRestartWith(cluster, "cluster", "rediss-cluster://" + HOST + ":7001," + HOST + ":7002", () -> {});
    }

    @Test
    @DisplayName("one that answers the operator and not the sidecars is said not to be reached, until that is mended")
    void notReached(Cluster cluster) throws Exception {
        var mine = new Shop(cluster, NAMESPACE);
        shop = mine;
        mine.createNamespace();
        store = new TheirStore(cluster, NAMESPACE, scratch);
        // What `openssl req -x509` makes by itself: Java takes it for a server's, the sidecars do not.
        store.start("single", true);
        mine.deployApplication();
        applySessionCluster(mine, "single", SINGLE);
        mine.awaitStoreSays("False/StoreNotReached", "basicConstraints=CA:FALSE");
        assertThat(mine.condition("StoreReady")).contains(Shop.NAME + "-");
        assertThat(mine.condition("Ready")).startsWith("False/StoreNotReached");

        store.replace("single");
        mine.awaitStoreSays("True/StoreAnswers", "");

        try (var load = Load.start(mine.address(), 2)) {
            load.awaitClicks();
            ask(TheirStore.PRIMARY, "acl", "setuser", "sidecar", "-hset");
            mine.awaitStoreSays("False/StoreRefuses", "protocol/store.md");
            ask(TheirStore.PRIMARY, "acl", "setuser", "sidecar", "+hset");
            mine.awaitStoreSays("True/StoreAnswers", "");
        }
    }

    private void rollingRestartWith(Cluster cluster, String kind, String url, Runnable fault) throws Exception {
        var mine = new Shop(cluster, NAMESPACE);
        shop = mine;
        mine.createNamespace();
        store = new TheirStore(cluster, NAMESPACE, scratch);
        store.start(kind, false);
        mine.deployApplication();
        applySessionCluster(mine, kind, url);
        mine.awaitReady();
        assertThat(mine.condition("StoreReady")).startsWith("True/StoreAnswers");

        try (var load = Load.start(mine.address(), USERS)) {
            load.awaitClicks();
            fault.run();
            load.awaitClicks();
            mine.restart();
            mine.awaitRolledOut();
            load.awaitClicks();
            Verdict.nobodyNoticed("external, " + kind, load.stop());
        }
    }

    private static void applySessionCluster(Shop shop, String kind, String url) {
        shop.applySessionCluster(spec -> {
            var external = Shop.child(Shop.child(spec, "store"), "external");
            external.putAll(Map.of("url", url, "credentialsSecret", "sidecar", "caSecret", "theirs"));
            if (kind.equals("sentinel")) {
                external.put("sentinelCredentialsSecret", "watch");
            }
            return spec;
        });
    }

    private String ask(int port, String... words) {
        return Objects.requireNonNull(store).ask(port, words);
    }
}
