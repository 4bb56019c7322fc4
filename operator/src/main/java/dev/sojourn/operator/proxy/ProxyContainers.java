package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.Restricted;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The containers of an Envoy pod and how they end together. At the pod's deletion the kubelet runs both preStop hooks at once: the
 * edge's has Envoy refuse new connections and waits for the old ones, Envoy's only keeps Envoy alive that long. The edge, a native
 * sidecar, starts first, so that Envoy finds its endpoint file, and is stopped last.
 */
final class ProxyContainers {

    static final int EDGE_PORT = 15901;

    /** How long load balancers in front may take to notice before listeners close. */
    private static final String DEREGISTRATION = "5s";

    /** How long connections may take to end by themselves. */
    private static final int DEADLINE_SECONDS = 20;

    private static final ResourceRequirements ENVOY_RESOURCES = new ResourceRequirementsBuilder()
            .withRequests(Map.of("cpu", new Quantity("50m"), "memory", new Quantity("64Mi")))
            .withLimits(Map.of("memory", new Quantity("512Mi")))
            .build();

    private static final ResourceRequirements EDGE_RESOURCES = new ResourceRequirementsBuilder()
            .withRequests(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("24Mi")))
            .withLimits(Map.of("memory", new Quantity("96Mi")))
            .build();

    private ProxyContainers() {}

    static Container envoy(SessionCluster primary, OperatorConfig config) {
        return new ContainerBuilder()
                .withName("envoy")
                .withImage(config.envoyImage())
                .withImagePullPolicy(config.imagePullPolicy())
                .withCommand(
                        "envoy",
                        "-c",
                        "/config/envoy.yaml",
                        "--disable-hot-restart",
                        "--drain-time-s",
                        "5",
                        "--drain-strategy",
                        "immediate")
                .withResources(
                        Objects.requireNonNullElse(primary.getSpec().proxy().resources(), ENVOY_RESOURCES))
                .withSecurityContext(Restricted.container())
                .addNewPort()
                .withName("http")
                .withContainerPort(EnvoyBootstrap.HTTP_PORT)
                .withProtocol("TCP")
                .endPort()
                .addNewPort()
                .withName("metrics")
                .withContainerPort(EnvoyBootstrap.READY_PORT)
                .withProtocol("TCP")
                .endPort()
                .withReadinessProbe(probe("/ready", EnvoyBootstrap.READY_PORT)
                        .withPeriodSeconds(1)
                        .build())
                .withNewLifecycle()
                .withNewPreStop()
                .withNewSleep((long) DEADLINE_SECONDS)
                .endPreStop()
                .endLifecycle()
                .addNewVolumeMount()
                .withName("config")
                .withMountPath("/config")
                .withReadOnly(true)
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("xds")
                .withMountPath(EnvoyCluster.ENDPOINTS_DIRECTORY)
                .withReadOnly(true)
                .endVolumeMount()
                .build();
    }

    static Container edge(SessionCluster primary, OperatorConfig config) {
        var spec = primary.getSpec();
        return new ContainerBuilder()
                .withName("edge")
                .withImage(config.sidecarImage())
                .withImagePullPolicy(config.imagePullPolicy())
                .withArgs("edge")
                .withRestartPolicy("Always")
                .withEnv(
                        env("SOJOURN_EDGE_NAMESPACE", primary.getMetadata().getNamespace()),
                        env(
                                "SOJOURN_EDGE_SELECTOR",
                                Names.CLUSTER_LABEL + "="
                                        + primary.getMetadata().getName()),
                        env("SOJOURN_EDGE_PORT", String.valueOf(spec.port())),
                        env("SOJOURN_EDGE_OUT", EnvoyCluster.ENDPOINTS_FILE),
                        env("SOJOURN_EDGE_CLUSTER", EnvoyCluster.APPLICATION),
                        env("SOJOURN_EDGE_DRAIN", spec.drain().mode().name()),
                        env("SOJOURN_HTTP", "0.0.0.0:" + EDGE_PORT))
                .withResources(EDGE_RESOURCES)
                .withSecurityContext(Restricted.container())
                .addNewPort()
                .withName("edge-metrics")
                .withContainerPort(EDGE_PORT)
                .withProtocol("TCP")
                .endPort()
                // Envoy starts when the endpoints have been written: without the file it would not start at all.
                .withStartupProbe(probe("/readyz", EDGE_PORT)
                        .withPeriodSeconds(1)
                        .withFailureThreshold(60)
                        .build())
                .withNewLifecycle()
                .withNewPreStop()
                .withNewExec()
                .withCommand(
                        "/sojournd",
                        "drain-envoy",
                        "--admin",
                        "127.0.0.1:" + EnvoyBootstrap.ADMIN_PORT,
                        "--wait",
                        DEREGISTRATION,
                        "--deadline",
                        DEADLINE_SECONDS + "s")
                .endExec()
                .endPreStop()
                .endLifecycle()
                .addNewVolumeMount()
                .withName("xds")
                .withMountPath(EnvoyCluster.ENDPOINTS_DIRECTORY)
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("token")
                .withMountPath("/var/run/secrets/kubernetes.io/serviceaccount")
                .withReadOnly(true)
                .endVolumeMount()
                .build();
    }

    /** The token is a volume of its own, so that only the edge has it and Envoy, which strangers talk to, has not. */
    static List<Volume> volumes(String configMap) {
        return List.of(
                new VolumeBuilder()
                        .withName("config")
                        .withNewConfigMap()
                        .withName(configMap)
                        .endConfigMap()
                        .build(),
                new VolumeBuilder()
                        .withName("xds")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .build(),
                new VolumeBuilder()
                        .withName("token")
                        .withNewProjected()
                        .addNewSource()
                        .withNewServiceAccountToken(null, 3607L, "token")
                        .endSource()
                        .addNewSource()
                        .withNewConfigMap()
                        .withName("kube-root-ca.crt")
                        .addNewItem("ca.crt", null, "ca.crt")
                        .endConfigMap()
                        .endSource()
                        .addNewSource()
                        .withNewDownwardAPI()
                        .addNewItem()
                        .withPath("namespace")
                        .withNewFieldRef("v1", "metadata.namespace")
                        .endItem()
                        .endDownwardAPI()
                        .endSource()
                        .endProjected()
                        .build());
    }

    private static EnvVar env(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    private static ProbeBuilder probe(String path, int port) {
        return new ProbeBuilder(new Probe())
                .withNewHttpGet()
                .withPath(path)
                .withNewPort(port)
                .endHttpGet();
    }
}
