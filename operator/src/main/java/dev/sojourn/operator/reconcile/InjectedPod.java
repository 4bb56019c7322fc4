package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.Target;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pod that carries the label, and how far its injection has come.
 *
 * @param settings the hash of those that it was injected with; nothing without the sidecar
 * @param workload whose it is, and who makes another one when it goes; nothing for a pod that somebody made by hand
 */
public record InjectedPod(
        String name,
        String uid,
        @Nullable String ip,
        @Nullable WorkloadRef workload,
        @Nullable String settings,
        @Nullable String refusal,
        boolean ready,
        @Nullable SidecarTrouble sidecarTrouble) {

    static InjectedPod of(Pod pod, Instant now) {
        var annotations = annotations(pod);
        return new InjectedPod(
                pod.getMetadata().getName(),
                pod.getMetadata().getUid(),
                pod.getStatus() == null ? null : pod.getStatus().getPodIP(),
                workload(pod),
                annotations.get(Names.INJECTED_ANNOTATION),
                refusal(annotations),
                Readiness.isPodReady(pod),
                SidecarTrouble.of(pod, now).orElse(null));
    }

    /** Whether it has the sidecar. */
    static boolean isInjected(Pod pod) {
        return annotations(pod).containsKey(Names.INJECTED_ANNOTATION);
    }

    private static Map<String, String> annotations(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.of());
    }

    /** There was no such SessionCluster when it started, and nobody has judged it: it is one that was missed. */
    private static @Nullable String refusal(Map<String, String> annotations) {
        var refusal = annotations.get(Names.NOT_INJECTED_ANNOTATION);
        return refusal == null || refusal.startsWith(Target.NO_SESSION_CLUSTER) ? null : refusal;
    }

    boolean injected() {
        return settings != null;
    }

    /** It started without the sidecar, and nobody meant it to: the webhook never saw it, or knew of no SessionCluster. */
    boolean missed() {
        return !injected() && refusal == null;
    }

    /** Pods on their way out, or at their end, count no more; those of a Job whose label was copied never did. */
    static boolean counts(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !isOver(pod) && !isOwnedBy(pod, "Job");
    }

    static boolean isOver(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static boolean isOwnedBy(Pod pod, String kind) {
        return pod.getMetadata().getOwnerReferences().stream().anyMatch(owner -> kind.equals(owner.getKind()));
    }

    static @Nullable WorkloadRef workload(Pod pod) {
        return pod.getMetadata().getOwnerReferences().stream()
                .filter(owner -> Boolean.TRUE.equals(owner.getController()))
                .flatMap(owner -> workload(pod, owner).stream())
                .findFirst()
                .orElse(null);
    }

    /** A Deployment's pods are its ReplicaSet's, which is called after both: {@code <Deployment>-<pod-template-hash>}. */
    private static Optional<WorkloadRef> workload(Pod pod, OwnerReference owner) {
        if ("StatefulSet".equals(owner.getKind())) {
            return Optional.of(new WorkloadRef(WorkloadRef.Kind.StatefulSet, owner.getName()));
        }
        var labels = Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
        var suffix = "-" + labels.getOrDefault("pod-template-hash", "");
        return Optional.of(owner.getName())
                .filter(name -> "ReplicaSet".equals(owner.getKind()) && name.endsWith(suffix))
                .map(name -> name.substring(0, name.length() - suffix.length()))
                .map(name -> new WorkloadRef(WorkloadRef.Kind.Deployment, name));
    }
}
