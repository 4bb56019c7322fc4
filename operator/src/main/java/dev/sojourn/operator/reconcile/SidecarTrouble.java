package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What keeps a pod's sidecar from running, with the mend. Pure. */
public record SidecarTrouble(Kind kind, String message) {

    /** The reasons of the condition. */
    public enum Kind {
        SidecarNotStarting,
        SidecarRestarting
    }

    private static final Set<String> NO_IMAGE =
            Set.of("ImagePullBackOff", "ErrImagePull", "ErrImageNeverPull", "InvalidImageName");

    /** States that do not mend themselves soon either; "ContainerCreating" does. */
    private static final Set<String> NOT_MADE =
            Set.of("CreateContainerConfigError", "CreateContainerError", "RunContainerError");

    private static final String ENDS_AGAIN_AND_AGAIN = "CrashLoopBackOff";

    /** Kubernetes lets one that ends again and again wait for five minutes at most; in between it runs, as if nothing had been. */
    private static final Duration LATELY = Duration.ofMinutes(10);

    /** Over the pod's whole life. A node that restarts, or somebody who kills it, does not make a loop: what ends then has run for long. */
    private static final int MORE_THAN_A_FEW = 3;

    static Optional<SidecarTrouble> of(Pod pod, Instant now) {
        if (pod.getStatus() == null) {
            return Optional.empty();
        }
        return pod.getStatus().getInitContainerStatuses().stream()
                .filter(status -> Names.SIDECAR_CONTAINER.equals(status.getName()))
                .findFirst()
                .flatMap(status -> of(pod.getMetadata().getName(), status, now));
    }

    private static Optional<SidecarTrouble> of(String pod, ContainerStatus status, Instant now) {
        var waiting = waitsFor(status);
        var in = "container " + Names.SIDECAR_CONTAINER + " is in " + waiting + ": see kubectl describe pod " + pod;
        if (NO_IMAGE.contains(waiting)) {
            return Optional.of(new SidecarTrouble(
                    Kind.SidecarNotStarting,
                    in + "; an image that cannot be pulled from a private registry needs"
                            + " spec.injection.imagePullSecrets"));
        }
        if (NOT_MADE.contains(waiting)) {
            return Optional.of(new SidecarTrouble(Kind.SidecarNotStarting, in));
        }
        var last = Optional.ofNullable(status.getLastState()).map(state -> state.getTerminated());
        var loops = ENDS_AGAIN_AND_AGAIN.equals(waiting)
                || status.getRestartCount() >= MORE_THAN_A_FEW
                        && last.filter(end -> isShort(end) && isOfLate(end, now))
                                .isPresent();
        return loops
                ? Optional.of(new SidecarTrouble(Kind.SidecarRestarting, ended(pod, status.getRestartCount(), last)))
                : Optional.empty();
    }

    private static String waitsFor(ContainerStatus status) {
        return Optional.ofNullable(status.getState())
                .flatMap(state -> Optional.ofNullable(state.getWaiting()))
                .flatMap(waiting -> Optional.ofNullable(waiting.getReason()))
                .orElse("");
    }

    private static boolean isOfLate(ContainerStateTerminated end, Instant now) {
        return time(end.getFinishedAt())
                .filter(finished -> finished.plus(LATELY).isAfter(now))
                .isPresent();
    }

    private static boolean isShort(ContainerStateTerminated life) {
        return time(life.getFinishedAt())
                .flatMap(finished -> time(life.getStartedAt())
                        .filter(started -> started.plus(LATELY).isAfter(finished)))
                .isPresent();
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static String ended(String pod, int restarts, Optional<ContainerStateTerminated> last) {
        var isKilled = last.filter(end -> "OOMKilled".equals(end.getReason())).isPresent();
        return "the sidecar "
                + (isKilled ? "is OOMKilled" : "ends") + " again and again (restarts: " + restarts
                + last.map(end -> ", the last end at " + end.getFinishedAt()
                                + (isKilled ? "" : " with exit code " + end.getExitCode()))
                        .orElse("")
                + "): "
                + (isKilled ? "raise spec.injection.resources.limits.memory; " : "")
                + "see kubectl logs " + pod + " -c " + Names.SIDECAR_CONTAINER + " --previous"
                + (isKilled ? "" : ", and kubectl describe pod " + pod + " for probes that fail");
    }
}
