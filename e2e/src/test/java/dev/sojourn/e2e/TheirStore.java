package dev.sojourn.e2e;

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

/** A store as a team of its own would run it ({@code external/store.sh}), in the pod {@code theirs}. */
final class TheirStore {
    static final int PRIMARY = 6379;
    static final int SENTINEL = 26379;
    private static final String NAME = "theirs";

    private final Cluster cluster;
    private final String namespace;
    private final Certificates certificates;

    /** @param scratch a folder for its certificate, which signs itself, so that it is the authority as well; sidecars read ca.crt */
    TheirStore(Cluster cluster, String namespace, Path scratch) {
        this.cluster = cluster;
        this.namespace = namespace;
        this.certificates = new Certificates(cluster, namespace, NAME, scratch);
    }

    static String host(String namespace) {
        return NAME + "." + namespace + ".svc";
    }

    /** A SessionCluster's {@code spec.store.external} for the kind {@code single}. */
    static Map<String, Object> external(String namespace) {
        return Map.of(
                "url", "rediss://" + host(namespace) + ":" + PRIMARY, "credentialsSecret", "sidecar", "caSecret", NAME);
    }

    /** @param authority its certificate is an authority's, as {@code openssl req -x509} makes it by itself */
    void start(String kind, boolean authority) throws Exception {
        certificates.put(NAME, "DNS:" + host(namespace), authority);
        login("sidecar", "sidecars");
        login("watch", "watchers");
        cluster.client()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withNamespace(namespace)
                        .endMetadata()
                        .addToData("store.sh", Resource.text("/external/store.sh"))
                        .build())
                .create();
        cluster.client()
                .resource(new ServiceBuilder()
                        .withNewMetadata()
                        .withName(NAME)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewSpec()
                        .withClusterIP("None")
                        .withPublishNotReadyAddresses(true)
                        .addToSelector("app", NAME)
                        .endSpec()
                        .build())
                .create();
        startPod(kind);
    }

    /** By one with a certificate of a server's, and nothing in it. */
    void replace(String kind) throws Exception {
        certificates.put(NAME, "DNS:" + host(namespace));
        var pod = cluster.client().pods().inNamespace(namespace).withName(NAME);
        pod.delete();
        pod.waitUntilCondition(Objects::isNull, 60, TimeUnit.SECONDS);
        startPod(kind);
    }

    /** As the servers' owner, from inside. */
    String ask(int port, String... words) {
        var command = new ArrayList<>(
                List.of("kubectl", "-n", namespace, "exec", NAME, "--", "valkey-cli", "--no-auth-warning"));
        command.addAll(List.of("--tls", "--cacert", "/tls/tls.crt", "-h", host(namespace), "-p", String.valueOf(port)));
        if (port == PRIMARY) {
            command.addAll(List.of("-a", "servers"));
        }
        command.addAll(List.of(words));
        return Shell.run(command.toArray(String[]::new));
    }

    private void startPod(String kind) {
        cluster.client().resource(pod(kind)).create();
        cluster.client().pods().inNamespace(namespace).withName(NAME).waitUntilReady(60, TimeUnit.SECONDS);
    }

    private void login(String user, String password) {
        cluster.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(user)
                        .withNamespace(namespace)
                        .endMetadata()
                        .addToStringData("username", user)
                        .addToStringData("password", password)
                        .build())
                .create();
    }

    private Pod pod(String kind) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(namespace)
                .addToLabels("app", NAME)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("store")
                .withImage("valkey/valkey:8.1")
                .withImagePullPolicy("IfNotPresent")
                .withCommand("bash", "/script/store.sh", kind)
                .addNewEnv()
                .withName("HOST")
                .withValue(host(namespace))
                .endEnv()
                .addNewEnv()
                .withName("SESSIONS")
                .withValue(namespace + "." + Shop.NAME)
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
                .withName(NAME)
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("tls")
                .withNewSecret()
                .withSecretName(NAME)
                .endSecret()
                .endVolume()
                .endSpec()
                .build();
    }
}
