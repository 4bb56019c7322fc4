package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Everybody's workloads, for any of them may be named by the next SessionCluster; of each only what {@link Workload} reads, a seventh of the
 * whole. What is in here must never be written back: it would take the rest away.
 */
final class WorkloadStore<R extends HasMetadata> extends BasicItemStore<R> {

    private final UnaryOperator<R> lean;

    private WorkloadStore(UnaryOperator<R> lean) {
        super(Cache::metaNamespaceKeyFunc);
        this.lean = lean;
    }

    static WorkloadStore<Deployment> deployments() {
        return new WorkloadStore<>(WorkloadStore::lean);
    }

    static WorkloadStore<StatefulSet> statefulSets() {
        return new WorkloadStore<>(WorkloadStore::lean);
    }

    /** Stores and proxies of ours stay whole: a SessionCluster may name one by mistake, and it would be found here by its name. */
    @Override
    public R put(String key, R workload) {
        var labels = workload.getMetadata().getLabels();
        var isOurs = labels != null && labels.containsKey(Names.OWNED_BY_LABEL);
        return super.put(key, isOurs ? workload : lean.apply(workload));
    }

    private static Deployment lean(Deployment whole) {
        var spec = whole.getSpec();
        return new DeploymentBuilder()
                .withMetadata(lean(whole.getMetadata()))
                .withNewSpec()
                .withReplicas(spec.getReplicas())
                .withPaused(spec.getPaused())
                .withTemplate(lean(spec.getTemplate()))
                .endSpec()
                .withStatus(whole.getStatus())
                .build();
    }

    private static StatefulSet lean(StatefulSet whole) {
        var spec = whole.getSpec();
        return new StatefulSetBuilder()
                .withMetadata(lean(whole.getMetadata()))
                .withNewSpec()
                .withReplicas(spec.getReplicas())
                .withUpdateStrategy(spec.getUpdateStrategy())
                .withTemplate(lean(spec.getTemplate()))
                .withVolumeClaimTemplates(spec.getVolumeClaimTemplates().stream()
                        .map(WorkloadStore::lean)
                        .toList())
                .endSpec()
                .withStatus(whole.getStatus())
                .build();
    }

    private static ObjectMeta lean(ObjectMeta whole) {
        return new ObjectMetaBuilder(whole)
                .withManagedFields(List.of())
                .withAnnotations(Map.of())
                .build();
    }

    private static PodTemplateSpec lean(PodTemplateSpec whole) {
        var pod = whole.getSpec();
        return new PodTemplateSpecBuilder()
                .withMetadata(whole.getMetadata())
                .withNewSpec()
                .withContainers(
                        pod.getContainers().stream().map(WorkloadStore::lean).toList())
                .withInitContainers(pod.getInitContainers().stream()
                        .map(WorkloadStore::lean)
                        .toList())
                .withVolumes(pod.getVolumes().stream().map(WorkloadStore::lean).toList())
                .withOs(pod.getOs())
                .withNodeSelector(pod.getNodeSelector())
                .withHostNetwork(pod.getHostNetwork())
                .endSpec()
                .build();
    }

    private static Container lean(Container whole) {
        return new ContainerBuilder()
                .withName(whole.getName())
                .withPorts(whole.getPorts())
                .build();
    }

    private static Volume lean(Volume whole) {
        return new VolumeBuilder().withName(whole.getName()).build();
    }

    private static PersistentVolumeClaim lean(PersistentVolumeClaim whole) {
        return new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(whole.getMetadata().getName())
                .endMetadata()
                .build();
    }
}
