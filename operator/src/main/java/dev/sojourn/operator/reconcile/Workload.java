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
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The user's workload, as far as it concerns us: the same for every kind.
 *
 * @param podsRefused why the API server accepts none of its pods now. Only a Deployment tells (from its ReplicaSet, FailedCreate); of a
 *     StatefulSet there are but events
 */
record Workload(
        WorkloadRef ref,
        int replicas,
        Map<String, String> labels,
        Map<String, String> annotations,
        PodShape shape,
        Optional<String> podsRefused) {

    static Workload of(Deployment deployment) {
        var ref = new WorkloadRef(
                WorkloadRef.Kind.Deployment, deployment.getMetadata().getName());
        return of(
                ref,
                deployment.getSpec().getReplicas(),
                deployment.getSpec().getTemplate(),
                List.of(),
                podsRefused(deployment));
    }

    static Workload of(StatefulSet set) {
        var ref =
                new WorkloadRef(WorkloadRef.Kind.StatefulSet, set.getMetadata().getName());
        // Each is a volume of its pods.
        var claims = set.getSpec().getVolumeClaimTemplates().stream()
                .map(claim -> claim.getMetadata().getName())
                .toList();
        return of(ref, set.getSpec().getReplicas(), set.getSpec().getTemplate(), claims, Optional.empty());
    }

    private static Optional<String> podsRefused(Deployment deployment) {
        return Optional.ofNullable(deployment.getStatus()).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(c -> "ReplicaFailure".equals(c.getType()) && "True".equals(c.getStatus()))
                .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                .findFirst();
    }

    private static Workload of(
            WorkloadRef ref,
            Integer replicas,
            PodTemplateSpec template,
            List<String> claims,
            Optional<String> podsRefused) {
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
                podsRefused);
    }
}
