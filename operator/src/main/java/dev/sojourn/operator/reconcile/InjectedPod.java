package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A pod that carries the label, and how far its injection has come. */
public record InjectedPod(
        String name,
        boolean injected,
        @Nullable String refusal,
        boolean ready,
        @Nullable String sidecarTrouble) {

    /** States that do not mend themselves soon; "ContainerCreating" does. */
    private static final Set<String> TROUBLE = Set.of(
            "ImagePullBackOff",
            "ErrImagePull",
            "ErrImageNeverPull",
            "InvalidImageName",
            "CrashLoopBackOff",
            "CreateContainerConfigError",
            "CreateContainerError",
            "RunContainerError");

    static InjectedPod of(Pod pod) {
        var annotations = pod.getMetadata().getAnnotations() == null
                ? Map.<String, String>of()
                : pod.getMetadata().getAnnotations();
        return new InjectedPod(
                pod.getMetadata().getName(),
                annotations.containsKey(Names.INJECTED_ANNOTATION),
                annotations.get(Names.NOT_INJECTED_ANNOTATION),
                isReady(pod),
                sidecarTrouble(pod));
    }

    /** Pods on their way out, or at their end, count no more. */
    static boolean counts(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !isOver(pod);
    }

    static boolean isOver(Pod pod) {
        var phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        return "Succeeded".equals(phase) || "Failed".equals(phase);
    }

    private static boolean isReady(Pod pod) {
        return pod.getStatus() != null
                && pod.getStatus().getConditions().stream()
                        .anyMatch(c -> "Ready".equals(c.getType()) && "True".equals(c.getStatus()));
    }

    private static @Nullable String sidecarTrouble(Pod pod) {
        if (pod.getStatus() == null) {
            return null;
        }
        return pod.getStatus().getInitContainerStatuses().stream()
                .filter(status -> Names.SIDECAR_CONTAINER.equals(status.getName()))
                .map(ContainerStatus::getState)
                .filter(state -> state != null && state.getWaiting() != null)
                .map(state -> state.getWaiting().getReason())
                .filter(reason -> reason != null && TROUBLE.contains(reason))
                .findFirst()
                .orElse(null);
    }
}
