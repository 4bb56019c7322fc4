package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.PodShape;
import dev.sojourn.operator.inject.PodShape.ContainerPorts;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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
        return of(ref, deployment.getSpec().getReplicas(), deployment.getSpec().getTemplate(), podsRefused(deployment));
    }

    static Workload of(StatefulSet set) {
        var ref =
                new WorkloadRef(WorkloadRef.Kind.StatefulSet, set.getMetadata().getName());
        return of(ref, set.getSpec().getReplicas(), set.getSpec().getTemplate(), Optional.empty());
    }

    private static Optional<String> podsRefused(Deployment deployment) {
        return Optional.ofNullable(deployment.getStatus()).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(c -> "ReplicaFailure".equals(c.getType()) && "True".equals(c.getStatus()))
                .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                .findFirst();
    }

    private static Workload of(
            WorkloadRef ref, Integer replicas, PodTemplateSpec template, Optional<String> podsRefused) {
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
        return new Workload(
                ref,
                Objects.requireNonNullElse(replicas, 1),
                meta == null || meta.getLabels() == null ? Map.of() : meta.getLabels(),
                meta == null || meta.getAnnotations() == null ? Map.of() : meta.getAnnotations(),
                new PodShape(containers, Boolean.TRUE.equals(pod.getHostNetwork()), windows),
                podsRefused);
    }
}
