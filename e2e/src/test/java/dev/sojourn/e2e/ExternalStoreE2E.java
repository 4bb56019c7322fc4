package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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
    private static final int PRIMARY = 6379;
    private static final int SENTINEL = 26379;
    private static final String HOST = "theirs." + NAMESPACE + ".svc";
    private static final String SINGLE = "rediss://" + HOST + ":6379";

    @TempDir
    private Path scratch;

    private @Nullable Shop shop;

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
            String before = ask(SENTINEL, "sentinel", "get-master-addr-by-name", "shop");
            // Sentinel itself lets the old primary go on until the new one is there, and what it takes meanwhile is
            // lost.
            ask(PRIMARY, "client", "pause", "10000", "write");
            ask(SENTINEL, "sentinel", "failover", "shop");
            await("another primary")
                    .atMost(Cluster.seconds(60))
                    .until(() -> !ask(SENTINEL, "sentinel", "get-master-addr-by-name", "shop")
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
        var mine = new Shop(cluster, NAMESPACE, 30083);
        shop = mine;
        mine.createNamespace();
        // What `openssl req -x509` makes by itself: Java takes it for a server's, the sidecars do not.
        certificates(cluster).put("theirs", "DNS:" + HOST, true);
        startStore(cluster, "single");
        mine.deployApplication();
        applySessionCluster(mine, "single", SINGLE);
        mine.awaitStoreSays("False/StoreNotReached", "basicConstraints=CA:FALSE");
        assertThat(mine.condition("StoreReady")).contains(Shop.NAME + "-");
        assertThat(mine.condition("Ready")).startsWith("False/StoreNotReached");

        certificates(cluster).put("theirs", "DNS:" + HOST);
        cluster.client().pods().inNamespace(NAMESPACE).withName("theirs").delete();
        cluster.client()
                .pods()
                .inNamespace(NAMESPACE)
                .withName("theirs")
                .waitUntilCondition(Objects::isNull, 60, TimeUnit.SECONDS);
        startPod(cluster, "single");
        mine.awaitStoreSays("True/StoreAnswers", "");

        try (var load = Load.start(mine.address(), 2)) {
            load.awaitClicks();
            ask(PRIMARY, "acl", "setuser", "sidecar", "-hset");
            mine.awaitStoreSays("False/StoreRefuses", "protocol/store.md");
            ask(PRIMARY, "acl", "setuser", "sidecar", "+hset");
            mine.awaitStoreSays("True/StoreAnswers", "");
        }
    }

    private void rollingRestartWith(Cluster cluster, String kind, String url, Runnable fault) throws Exception {
        var mine = new Shop(cluster, NAMESPACE, 30083);
        shop = mine;
        mine.createNamespace();
        certificates(cluster).put("theirs", "DNS:" + HOST);
        startStore(cluster, kind);
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

    /** The certificate signs itself, so it is the authority as well; sidecars read ca.crt. */
    private Certificates certificates(Cluster cluster) {
        return new Certificates(cluster, NAMESPACE, "theirs", scratch);
    }

    private static void startStore(Cluster cluster, String kind) throws Exception {
        login(cluster, "sidecar", "sidecars");
        login(cluster, "watch", "watchers");
        cluster.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("theirs")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToData("store.sh", Resource.text("/external/store.sh"))
                        .build())
                .create();
        cluster.client()
                .resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName("theirs")
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .withNewSpec()
                        .withClusterIP("None")
                        .withPublishNotReadyAddresses(true)
                        .addToSelector("app", "theirs")
                        .endSpec()
                        .build())
                .create();
        startPod(cluster, kind);
    }

    private static void startPod(Cluster cluster, String kind) {
        cluster.client().resource(store(kind)).create();
        cluster.client().pods().inNamespace(NAMESPACE).withName("theirs").waitUntilReady(60, TimeUnit.SECONDS);
    }

    private static void login(Cluster cluster, String user, String password) {
        cluster.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(user)
                        .withNamespace(NAMESPACE)
                        .endMetadata()
                        .addToStringData("username", user)
                        .addToStringData("password", password)
                        .build())
                .create();
    }

    private static Pod store(String kind) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("theirs")
                .withNamespace(NAMESPACE)
                .addToLabels("app", "theirs")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("store")
                .withImage("valkey/valkey:8.1")
                .withImagePullPolicy("IfNotPresent")
                .withCommand("bash", "/script/store.sh", kind)
                .addNewEnv()
                .withName("HOST")
                .withValue(HOST)
                .endEnv()
                .addNewEnv()
                .withName("SESSIONS")
                .withValue(NAMESPACE + "." + Shop.NAME)
                .endEnv()
                .addNewVolumeMount()
                .withName("script")
                .withMountPath("/script")
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("tls")
                .withMountPath("/tls")
                .endVolumeMount()
                .endContainer()
                .addNewVolume()
                .withName("script")
                .withNewConfigMap()
                .withName("theirs")
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("tls")
                .withNewSecret()
                .withSecretName("theirs")
                .endSecret()
                .endVolume()
                .endSpec()
                .build();
    }

    /** As the servers' owner, from inside. */
    private static String ask(int port, String... words) {
        var command = new ArrayList<>(
                List.of("kubectl", "-n", NAMESPACE, "exec", "theirs", "--", "valkey-cli", "--no-auth-warning"));
        command.addAll(List.of("--tls", "--cacert", "/tls/tls.crt", "-h", HOST, "-p", String.valueOf(port)));
        if (port == PRIMARY) {
            command.addAll(List.of("-a", "servers"));
        }
        command.addAll(List.of(words));
        return Shell.run(command.toArray(String[]::new));
    }
}
