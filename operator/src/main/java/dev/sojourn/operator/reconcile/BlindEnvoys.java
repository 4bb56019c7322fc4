package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.proxy.ProxyContainers;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Envoys that run, and have never found a pod of the application well: their edge says so to the kubelet, for as long as pods are ready
 * that they could have found. Pure.
 */
final class BlindEnvoys {

    /** An edge that has just started has had no time to hear of it; nor has a pod that has just become ready been checked. */
    private static final Duration STARTING = Duration.ofSeconds(15);

    private BlindEnvoys() {}

    /** The names of their pods. */
    static Stream<String> among(List<Pod> pods, Instant now) {
        return pods.stream()
                .filter(InjectedPod::counts)
                .filter(pod -> isBlind(pod, now.minus(STARTING)))
                .map(pod -> pod.getMetadata().getName())
                .sorted();
    }

    private static boolean isBlind(Pod pod, Instant since) {
        var status = pod.getStatus();
        return status != null
                && named(ProxyContainers.ENVOY, status.getInitContainerStatuses())
                        .filter(ContainerStatus::getReady)
                        .isPresent()
                && named(ProxyContainers.EDGE, status.getContainerStatuses())
                        .filter(edge -> !edge.getReady())
                        .map(ContainerStatus::getState)
                        .map(ContainerState::getRunning)
                        .map(ContainerStateRunning::getStartedAt)
                        .filter(started -> !isAfter(started, since))
                        .isPresent()
                && status.getConditions().stream()
                        .filter(condition -> "ContainersReady".equals(condition.getType()))
                        .map(PodCondition::getLastTransitionTime)
                        .noneMatch(changed -> isAfter(changed, since));
    }

    private static boolean isAfter(@Nullable String time, Instant since) {
        return time != null && Instant.parse(time).isAfter(since);
    }

    private static Optional<ContainerStatus> named(String name, List<ContainerStatus> containers) {
        return containers.stream()
                .filter(container -> name.equals(container.getName()))
                .findFirst();
    }
}
