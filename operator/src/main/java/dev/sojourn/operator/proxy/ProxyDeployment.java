package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.dependent.Restricted;
import dev.sojourn.operator.dependent.SettledPods;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraintBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;

/** Envoy, and the edge beside it that tells it which pods there are. */
@KubernetesDependent(informer = @Informer(name = ProxyDeployment.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyDeployment extends OwnedResource<Deployment> {

    public static final String NAME = "proxy-deployment";

    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

    private static final long USER = 65532;

    /** For the containers' own ends, after Envoy's connections have had theirs. */
    private static final int GRACE_SECONDS = 10;

    @Inject
    OperatorConfig config;

    public ProxyDeployment() {
        super(Deployment.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected Deployment desired(SessionCluster primary, Context<SessionCluster> context) {
        return render(primary);
    }

    Deployment render(SessionCluster primary) {
        var labels = Names.labels(primary, ProxyConfigMap.COMPONENT);
        return new DeploymentBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withReplicas(primary.getSpec().proxy().replicas())
                .withNewSelector()
                .withMatchLabels(labels)
                .endSelector()
                .withNewStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                // An Envoy that is down takes users' connections along: a new one comes first.
                .withMaxUnavailable(new IntOrString(0))
                .withMaxSurge(new IntOrString(1))
                .endRollingUpdate()
                .endStrategy()
                .withTemplate(SettledPods.of(
                        template(primary, labels), primary.getSpec().proxy().pod()))
                .endSpec()
                .build();
    }

    private PodTemplateSpec template(SessionCluster primary, Map<String, String> labels) {
        var checksum = InjectionSettings.sha256(
                        ProxyConfigMap.files(primary, config.ipFamily()).toString())
                .substring(0, 10);
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(labels)
                .withAnnotations(Map.of(
                        Names.CHECKSUM_ANNOTATION,
                        checksum,
                        "kubectl.kubernetes.io/default-container",
                        "envoy",
                        SAFE_TO_EVICT,
                        expendable(primary)))
                .endMetadata()
                .withSpec(pod(primary, labels))
                .build();
    }

    /**
     * What is in it is written anew in each pod: the Cluster Autoscaler does not keep a node for that. Who has more such volumes, a
     * mesh's, names them all.
     */
    private static String expendable(SessionCluster primary) {
        var pod = primary.getSpec().proxy().pod();
        return pod == null ? ProxyVolumes.XDS : pod.annotations().getOrDefault(SAFE_TO_EVICT, ProxyVolumes.XDS);
    }

    private PodSpec pod(SessionCluster primary, Map<String, String> labels) {
        return new PodSpecBuilder()
                .withServiceAccountName(nameFor(primary))
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(
                        (long) primary.getSpec().proxy().drain().deadlineSeconds() + GRACE_SECONDS)
                .withSecurityContext(Restricted.pod(USER, config.assignedUsers()))
                .withTopologySpreadConstraints(
                        spread("kubernetes.io/hostname", labels), spread("topology.kubernetes.io/zone", labels))
                .withInitContainers(
                        ProxyContainers.firstEndpoints(primary, config), ProxyContainers.envoy(primary, config))
                .withContainers(ProxyContainers.edge(primary, config))
                .withVolumes(ProxyVolumes.of(primary))
                .build();
    }

    private static TopologySpreadConstraint spread(String topology, Map<String, String> labels) {
        return new TopologySpreadConstraintBuilder()
                .withMaxSkew(1)
                .withTopologyKey(topology)
                .withWhenUnsatisfiable("ScheduleAnyway")
                .withLabelSelector(
                        new LabelSelectorBuilder().withMatchLabels(labels).build())
                .build();
    }
}
