package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.ProxySpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterSpec;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.HelperResources;
import dev.sojourn.operator.dependent.Restricted;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The containers of an Envoy pod. First the edge runs once, so that Envoy finds its files; then Envoy starts, as a native sidecar of the
 * edge that stays. At the pod's deletion the edge's preStop drains Envoy, for as long as there are connections, and only when the edge
 * has ended does the kubelet stop its sidecars: Envoy ends when it is idle, and not before or after.
 */
public final class ProxyContainers {

    public static final String ENVOY = "envoy";
    public static final String EDGE = "edge";

    static final int EDGE_PORT = 15901;

    private static final ResourceRequirements ENVOY_RESOURCES = new ResourceRequirementsBuilder()
            .withRequests(Map.of("cpu", new Quantity("50m"), "memory", new Quantity("64Mi")))
            .withLimits(Map.of("memory", new Quantity("512Mi")))
            .build();

    private ProxyContainers() {}

    /** Without the files of endpoints and routes Envoy would not start at all. */
    static Container firstEndpoints(SessionCluster primary, OperatorConfig config) {
        return edgeBuilder(primary, config)
                .withName("first-endpoints")
                .withArgs("edge", "--once")
                .build();
    }

    static Container envoy(SessionCluster primary, OperatorConfig config) {
        return new ContainerBuilder()
                .withName(ENVOY)
                .withImage(config.envoyImage())
                .withImagePullPolicy(config.imagePullPolicy())
                .withRestartPolicy("Always")
                .withCommand(
                        "envoy",
                        "-c",
                        EnvoyTls.CONFIG_DIRECTORY + "/" + ProxyConfigMap.BOOTSTRAP,
                        "--disable-hot-restart",
                        "--drain-time-s",
                        "5",
                        "--drain-strategy",
                        "immediate")
                .withResources(resources(primary.getSpec()))
                .withSecurityContext(Restricted.container())
                .withPorts(port("metrics", EnvoyListener.READY_PORT))
                .withReadinessProbe(ready())
                .withVolumeMounts(ProxyVolumes.envoy(primary))
                .build();
    }

    /** Envoy's limit; none where a user's own resources have none. */
    static Optional<Quantity> memory(SessionClusterSpec spec) {
        return Optional.ofNullable(resources(spec).getLimits()).map(limits -> limits.get("memory"));
    }

    private static ResourceRequirements resources(SessionClusterSpec spec) {
        return Objects.requireNonNullElse(spec.proxy().resources(), ENVOY_RESOURCES);
    }

    static Container edge(SessionCluster primary, OperatorConfig config) {
        var drain = primary.getSpec().proxy().drain();
        return edgeBuilder(primary, config)
                .withName(EDGE)
                .withArgs("edge")
                .addAllToEnv(reaching(primary.getSpec().proxy()))
                .withPorts(ports(primary))
                .withReadinessProbe(reaches())
                .withNewLifecycle()
                .withNewPreStop()
                .withNewExec()
                .withCommand(
                        "/sojournd",
                        "drain-envoy",
                        "--admin",
                        "127.0.0.1:" + EnvoyListener.ADMIN_PORT,
                        "--wait",
                        drain.minimum(),
                        "--deadline",
                        drain.deadline())
                .endExec()
                .endPreStop()
                .endLifecycle()
                .build();
    }

    /** Whom the edge asks whether Envoy reaches the application, and what Envoy asks that. */
    private static List<EnvVar> reaching(ProxySpec proxy) {
        var env = new ArrayList<>(List.of(env("SOJOURN_EDGE_ADMIN", "127.0.0.1:" + EnvoyListener.ADMIN_PORT)));
        if (proxy.healthCheckPath() != null) {
            env.add(env("SOJOURN_EDGE_HEALTH_CHECK_PATH", proxy.healthCheckPath()));
        }
        return env;
    }

    /**
     * Not while pods are ready of which Envoy has never found one well: so Envoys of a wrong {@code healthCheckPath}, or port, do not take
     * the place of those that serve. Once it has, for good. With much patience for an edge that is slow to answer: its Envoy serves.
     */
    private static Probe reaches() {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath("/readyz")
                .withNewPort(EDGE_PORT)
                .endHttpGet()
                .withPeriodSeconds(1)
                .withTimeoutSeconds(5)
                .withFailureThreshold(12)
                .build();
    }

    /**
     * Envoy's too, for the Service looks its target ports up by name: so it leads nobody who comes with TLS to an Envoy from before that was
     * wanted. Before Kubernetes 1.33 it finds no name that only an init container has, and Envoy is one.
     */
    private static List<ContainerPort> ports(SessionCluster primary) {
        var ports = new ArrayList<>(List.of(port("http", EnvoyListener.HTTP_PORT)));
        if (primary.getSpec().proxy().tls() != null) {
            ports.add(port("https", EnvoyListener.HTTPS_PORT));
        }
        ports.add(port("edge-metrics", EDGE_PORT));
        return ports;
    }

    private static ContainerBuilder edgeBuilder(SessionCluster primary, OperatorConfig config) {
        var spec = primary.getSpec();
        return new ContainerBuilder()
                .withImage(config.sidecarImage())
                .withImagePullPolicy(config.imagePullPolicy())
                .withEnv(
                        env("SOJOURN_EDGE_NAMESPACE", primary.getMetadata().getNamespace()),
                        env(
                                "SOJOURN_EDGE_SELECTOR",
                                Names.CLUSTER_LABEL + "="
                                        + primary.getMetadata().getName()),
                        env("SOJOURN_EDGE_PORT", String.valueOf(spec.port())),
                        env("SOJOURN_EDGE_OUT", EnvoyCluster.ENDPOINTS_DIRECTORY + "/" + EnvoyCluster.ENDPOINTS_FILE),
                        env("SOJOURN_EDGE_CLUSTER", EnvoyCluster.APPLICATION),
                        env("SOJOURN_EDGE_CONFIG_MAP", Names.proxy(primary)),
                        env("SOJOURN_EDGE_ROUTES", EnvoyTls.CONFIG_DIRECTORY + "/" + EnvoyRoutes.RDS_FILE),
                        env("SOJOURN_EDGE_DRAIN", spec.drain().mode().name()),
                        env("SOJOURN_HTTP", config.ipFamily().wildcard(EDGE_PORT)))
                .withResources(HelperResources.edge(spec.proxy()))
                .withSecurityContext(Restricted.container())
                .withVolumeMounts(ProxyVolumes.edge());
    }

    private static ContainerPort port(String name, int port) {
        return new ContainerPortBuilder()
                .withName(name)
                .withContainerPort(port)
                .withProtocol("TCP")
                .build();
    }

    private static EnvVar env(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    /**
     * Yes as long as Envoy takes connections. {@code /ready} says no from the moment that it drains, and a deleted pod that is not even
     * serving gets none any more from a load balancer that has not noticed, where {@code externalTrafficPolicy} is {@code Local}.
     */
    private static Probe ready() {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(EnvoyRoutes.SERVING)
                .withNewPort(EnvoyListener.READY_PORT)
                .endHttpGet()
                .withPeriodSeconds(1)
                .build();
    }
}
