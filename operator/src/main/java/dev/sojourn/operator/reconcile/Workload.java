package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.PodShape;
import dev.sojourn.operator.inject.PodShape.ContainerPorts;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateStatefulSetStrategy;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The user's workload, as far as it concerns us: the same for every kind.
 *
 * @param made how many pods there are of it, of whatever template
 * @param podsRefused why the API server accepts none of its pods now. Only a Deployment tells (from its ReplicaSet, FailedCreate); of a
 *     StatefulSet there are but events
 * @param held why it replaces no pods by itself, or not all, and the mend
 */
record Workload(
        WorkloadRef ref,
        int replicas,
        int made,
        Map<String, String> labels,
        Map<String, String> annotations,
        PodShape shape,
        Optional<String> podsRefused,
        Optional<String> held) {

    static Workload of(Deployment deployment) {
        var ref = new WorkloadRef(
                WorkloadRef.Kind.Deployment, deployment.getMetadata().getName());
        return of(
                ref,
                deployment.getSpec().getReplicas(),
                Optional.ofNullable(deployment.getStatus()).map(DeploymentStatus::getReplicas),
                deployment.getSpec().getTemplate(),
                List.of(),
                podsRefused(deployment),
                held(ref, deployment));
    }

    static Workload of(StatefulSet set) {
        var ref =
                new WorkloadRef(WorkloadRef.Kind.StatefulSet, set.getMetadata().getName());
        // Each is a volume of its pods.
        var claims = set.getSpec().getVolumeClaimTemplates().stream()
                .map(claim -> claim.getMetadata().getName())
                .toList();
        return of(
                ref,
                set.getSpec().getReplicas(),
                Optional.ofNullable(set.getStatus()).map(StatefulSetStatus::getReplicas),
                set.getSpec().getTemplate(),
                claims,
                Optional.empty(),
                held(ref, set));
    }

    private static Optional<String> held(WorkloadRef ref, Deployment deployment) {
        return Boolean.TRUE.equals(deployment.getSpec().getPaused())
                ? Optional.of(ref.argument() + " is paused: kubectl rollout resume " + ref.argument())
                : Optional.empty();
    }

    private static Optional<String> held(WorkloadRef ref, StatefulSet set) {
        var strategy = set.getSpec().getUpdateStrategy();
        if (strategy == null) {
            return Optional.empty();
        }
        if ("OnDelete".equals(strategy.getType())) {
            return Optional.of(ref.argument() + " replaces no pod by itself (updateStrategy OnDelete): delete its pods,"
                    + " one when the one before is ready again");
        }
        return Optional.ofNullable(strategy.getRollingUpdate())
                .map(RollingUpdateStatefulSetStrategy::getPartition)
                .filter(partition -> partition > 0)
                .map(partition -> ref.argument() + " keeps its pods below number " + partition
                        + " as they are: set its updateStrategy.rollingUpdate.partition to 0");
    }

    static Optional<String> podsRefused(Deployment deployment) {
        return Optional.ofNullable(deployment.getStatus()).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(c -> "ReplicaFailure".equals(c.getType()) && "True".equals(c.getStatus()))
                .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                .findFirst();
    }

    private static Workload of(
            WorkloadRef ref,
            Integer replicas,
            Optional<Integer> made,
            PodTemplateSpec template,
            List<String> claims,
            Optional<String> podsRefused,
            Optional<String> held) {
        var meta = template.getMetadata();
        var pod = template.getSpec();
        var containers = pod.getContainers().stream()
                .map(container -> new ContainerPorts(
                        container.getName(),
                        container.getPorts().stream()
                                .map(ContainerPort::getContainerPort)
                                .toList()))
                .toList();
        var windows = (pod.getOs() != null && "windows".equals(pod.getOs().getName()))
                || (pod.getNodeSelector() != null
                        && "windows".equals(pod.getNodeSelector().get("kubernetes.io/os")));
        var annotations =
                meta == null || meta.getAnnotations() == null ? Map.<String, String>of() : meta.getAnnotations();
        return new Workload(
                ref,
                Objects.requireNonNullElse(replicas, 1),
                made.orElse(0),
                meta == null || meta.getLabels() == null ? Map.of() : meta.getLabels(),
                annotations,
                new PodShape(
                        containers,
                        pod.getInitContainers().stream().map(Container::getName).toList(),
                        Stream.concat(pod.getVolumes().stream().map(Volume::getName), claims.stream())
                                .toList(),
                        annotations.containsKey(Names.INJECTED_ANNOTATION),
                        Boolean.TRUE.equals(pod.getHostNetwork()),
                        windows),
                podsRefused,
                held);
    }
}
