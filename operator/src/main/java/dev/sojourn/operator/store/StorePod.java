package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.HelperResources;
import dev.sojourn.operator.dependent.Restricted;
import dev.sojourn.operator.dependent.Volumes;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.PodDNSConfig;
import io.fabric8.kubernetes.api.model.PodDNSConfigBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.ArrayList;
import java.util.List;

/** A pod of the store. Pure: spec in, pod out. */
final class StorePod {

    /** valkey's user in the official image; any non-root user serves. */
    private static final long USER = 999;

    /** Longer than a hand-over takes at worst, see the scripts' {@code leave}. */
    private static final long GRACE_SECONDS = 45;

    /** The image may be Valkey's or Redis'. */
    private static final String STANDALONE =
            "exec \"$(command -v valkey-server || command -v redis-server)\" /config/valkey.conf";

    /**
     * A Sentinel looks names up on the one thread that it has, and gives up deciding for half a minute after it was away for 2 s (TILT). A lost
     * packet costs 5 s by default.
     */
    private static final PodDNSConfig SHORT_LOOKUPS = new PodDNSConfigBuilder()
            .addNewOption("timeout", "1")
            .addNewOption("attempts", "3")
            .build();

    private final SessionCluster primary;
    private final ManagedStoreSpec managed;
    private final String image;
    private final String pullPolicy;
    private final boolean assignedUsers;

    StorePod(SessionCluster primary, ManagedStoreSpec managed, String image, String pullPolicy, boolean assignedUsers) {
        this.primary = primary;
        this.managed = managed;
        this.image = image;
        this.pullPolicy = pullPolicy;
        this.assignedUsers = assignedUsers;
    }

    PodSpec spec() {
        var pod = new PodSpecBuilder()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(GRACE_SECONDS)
                .withSecurityContext(Restricted.pod(USER, assignedUsers))
                .withContainers(containers())
                .withVolumes(volumes());
        if (managed.topology() != Topology.Standalone) {
            pod.withTopologySpreadConstraints(
                    // As evenly as there are nodes: never all on one, and never unscheduled for lack of nodes.
                    spread("kubernetes.io/hostname", "DoNotSchedule"),
                    spread("topology.kubernetes.io/zone", "ScheduleAnyway"));
        }
        if (managed.topology() == Topology.Replicated) {
            pod.withDnsConfig(SHORT_LOOKUPS);
        }
        return pod.build();
    }

    private List<Container> containers() {
        return switch (managed.topology()) {
            case Standalone -> List.of(standalone());
            case Replicated -> List.of(scripted("replicated.sh"), sentinel());
            case Sharded -> List.of(scripted("sharded.sh"));
        };
    }

    private Container standalone() {
        return valkey().withCommand("sh", "-c", STANDALONE)
                .withNewReadinessProbe()
                .withNewTcpSocket()
                .withNewPort("redis")
                .endTcpSocket()
                .withPeriodSeconds(2)
                .withFailureThreshold(3)
                .endReadinessProbe()
                .build();
    }

    private Container scripted(String script) {
        return valkey().withCommand("sh", "/config/" + script, "start")
                .withEnv(environment())
                .withNewReadinessProbe()
                .withNewExec()
                .withCommand("sh", "/config/" + script, "ready")
                .endExec()
                .withPeriodSeconds(3)
                .withTimeoutSeconds(5)
                .withFailureThreshold(3)
                .endReadinessProbe()
                .withNewLifecycle()
                .withNewPreStop()
                .withNewExec()
                .withCommand("sh", "/config/" + script, "leave")
                .endExec()
                .endPreStop()
                .endLifecycle()
                .build();
    }

    private ContainerBuilder valkey() {
        return container("valkey", "redis", Names.STORE_PORT).withResources(ValkeyConf.resources(managed));
    }

    private Container sentinel() {
        return container("sentinel", "sentinel", Names.SENTINEL_PORT)
                .withCommand("sh", "/config/replicated.sh", "sentinel")
                .withEnv(environment())
                .withResources(HelperResources.sentinel(managed))
                .build();
    }

    private ContainerBuilder container(String name, String portName, int port) {
        return new ContainerBuilder()
                .withName(name)
                .withImage(image)
                .withImagePullPolicy(pullPolicy)
                .withSecurityContext(Restricted.container())
                .addNewPort()
                .withName(portName)
                .withContainerPort(port)
                .withProtocol("TCP")
                .endPort()
                .withVolumeMounts(
                        Volumes.readOnly("config", "/config"),
                        Volumes.readOnly("acl", "/acl"),
                        Volumes.writable("data", "/data"));
    }

    private List<EnvVar> environment() {
        var service = Names.storeService(primary);
        var environment = new ArrayList<EnvVar>(List.of(
                field("POD", "metadata.name"),
                field("ADDRESS", "status.podIP"),
                value("SERVICE", service),
                value("SELF", "$(POD)." + service)));
        if (managed.topology() == Topology.Replicated) {
            environment.add(value("FIRST", Names.store(primary) + "-0." + service));
            // What a majority is. A cluster knows that itself: its pods are not replaced when their number changes.
            environment.add(value("PODS", String.valueOf(managed.pods())));
        }
        return environment;
    }

    private List<Volume> volumes() {
        var volumes = new ArrayList<Volume>();
        volumes.add(Volumes.configMap("config", Names.store(primary)));
        var acl = new VolumeBuilder()
                .withName("acl")
                .withNewSecret()
                .withSecretName(Names.store(primary))
                .addNewItem(StoreSecret.ACL_FILE, null, StoreSecret.ACL_FILE);
        if (managed.topology() != Topology.Standalone) {
            acl = acl.addNewItem(StoreSecret.SYSTEM_PASSWORD, null, StoreSecret.SYSTEM_PASSWORD)
                    .addNewItem(StoreSecret.SENTINEL_ACL_FILE, null, StoreSecret.SENTINEL_ACL_FILE);
        }
        volumes.add(acl.endSecret().build());
        if (Boolean.TRUE.equals(managed.ephemeral())) {
            volumes.add(Volumes.empty("data"));
        }
        return volumes;
    }

    private TopologySpreadConstraint spread(String topology, String otherwise) {
        return new TopologySpreadConstraintBuilder()
                .withMaxSkew(1)
                .withTopologyKey(topology)
                .withWhenUnsatisfiable(otherwise)
                // A node that is being drained does not count as a place: its pod may go where others are.
                .withNodeTaintsPolicy("Honor")
                .withLabelSelector(new LabelSelectorBuilder()
                        .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                        .build())
                .build();
    }

    private static EnvVar value(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    private static EnvVar field(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(path)
                .endFieldRef()
                .endValueFrom()
                .build();
    }
}
