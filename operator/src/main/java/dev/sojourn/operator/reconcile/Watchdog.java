package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSpec;
import dev.sojourn.operator.api.SessionCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which of the pods that the webhook never saw is evicted next, if any. Pure. An eviction costs a pod, and helps only if the next one is
 * injected: so one at a time, while all others serve, and hardly ever again where it was of no use.
 */
final class Watchdog {

    /** The API server may be unable to reach a webhook that is ready in its own eyes; then pods would be evicted for ever. */
    private static final Duration AFTER_ONE_IN_VAIN = Duration.ofMinutes(10);

    /**
     * The last eviction that was granted.
     *
     * @param missed the uids of all pods that were without the sidecar then
     */
    record Eviction(String uid, Set<String> missed, Instant at) {

        Eviction {
            missed = Set.copyOf(missed);
        }
    }

    private Watchdog() {}

    static Optional<InjectedPod> next(
            SessionCluster sessionCluster,
            Observation seen,
            boolean webhookAnswers,
            Optional<Eviction> last,
            Instant now) {
        var evicts = sessionCluster.getSpec().injection().watchdog() == InjectionSpec.Watchdog.Evict;
        if (!evicts || !webhookAnswers || isUnderway(seen, last) || wasInVain(seen, last, now)) {
            return Optional.empty();
        }
        // Nobody makes another one of a pod that is not the workload's.
        var workload = sessionCluster.getSpec().workload();
        return missed(seen)
                .filter(pod -> workload.equals(pod.workload()))
                .filter(pod -> othersServe(pod, seen))
                .findFirst();
    }

    static Eviction eviction(InjectedPod pod, Observation seen, Instant now) {
        return new Eviction(pod.uid(), uids(seen), now);
    }

    private static Stream<InjectedPod> missed(Observation seen) {
        return seen.pods().stream().filter(InjectedPod::missed);
    }

    private static Set<String> uids(Observation seen) {
        return missed(seen).map(InjectedPod::uid).collect(Collectors.toSet());
    }

    /** Caches lag: the pod evicted last may still look as if nothing had happened. */
    private static boolean isUnderway(Observation seen, Optional<Eviction> last) {
        return last.filter(
                        eviction -> seen.pods().stream().map(InjectedPod::uid).anyMatch(eviction.uid()::equals))
                .isPresent();
    }

    /** A pod is without the sidecar that was not there, or not without it, when the last one was evicted. */
    private static boolean wasInVain(Observation seen, Optional<Eviction> last, Instant now) {
        return last.filter(eviction -> now.isBefore(eviction.at().plus(AFTER_ONE_IN_VAIN)))
                .filter(eviction -> !eviction.missed().containsAll(uids(seen)))
                .isPresent();
    }

    /** As many as are wanted, and all ready but, perhaps, this one: neither a rollout nor the last eviction goes on. */
    private static boolean othersServe(InjectedPod candidate, Observation seen) {
        List<InjectedPod> pods = seen.pods();
        var wanted = seen.workload().map(Workload::replicas).orElse(0);
        return pods.size() >= wanted
                && pods.stream().filter(pod -> pod != candidate).allMatch(InjectedPod::ready);
    }
}
