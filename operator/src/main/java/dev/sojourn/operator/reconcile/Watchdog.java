package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which of the pods that the webhook never saw is evicted next, if any. Pure. An eviction costs a pod, and helps only if the next one is
 * injected: so one at a time, while all others serve, and hardly ever again where it was of no use.
 */
final class Watchdog {

    /** Until API servers reach a webhook that has just become ready: a readiness probe, an endpoint, every node's kube-proxy. */
    static final Duration REACHED_WITHIN = Duration.ofSeconds(20);

    /** It may be that they never do; then pods would be evicted for ever. The pause after one in vain, and after many. */
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(30);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

    /**
     * The last eviction that was granted.
     *
     * @param missed the uids of all pods that were without the sidecar then
     * @param pause until the next one, if this one was in vain
     */
    record Eviction(String uid, Set<String> missed, Instant at, Duration pause) {

        Eviction {
            missed = Set.copyOf(missed);
        }
    }

    private Watchdog() {}

    /** @param webhookReadySince empty while it is not */
    static Optional<InjectedPod> next(
            SessionCluster sessionCluster,
            Observation seen,
            Optional<Instant> webhookReadySince,
            Optional<Eviction> last,
            Instant now) {
        var evicts = sessionCluster.getSpec().injection().watchdog() == InjectionSpec.Watchdog.Evict;
        var isReached = webhookReadySince
                .filter(since -> !now.isBefore(since.plus(REACHED_WITHIN)))
                .isPresent();
        if (!evicts || !isReached || isUnderway(seen, last) || pauses(seen, last, now)) {
            return Optional.empty();
        }
        // Nobody makes another one of a pod that is not the workload's.
        var workload = sessionCluster.getSpec().workload();
        return missed(seen)
                .filter(pod -> workload.equals(pod.workload()))
                .filter(pod -> othersServe(pod, seen, workload))
                .findFirst();
    }

    static Eviction eviction(InjectedPod pod, Observation seen, Optional<Eviction> last, Instant now) {
        var pause = last.filter(eviction -> wasInVain(seen, eviction))
                .map(eviction -> eviction.pause().multipliedBy(2))
                .orElse(SHORTEST_PAUSE);
        return new Eviction(pod.uid(), uids(seen), now, pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
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

    private static boolean pauses(Observation seen, Optional<Eviction> last, Instant now) {
        return last.filter(eviction -> now.isBefore(eviction.at().plus(eviction.pause())))
                .filter(eviction -> wasInVain(seen, eviction))
                .isPresent();
    }

    /** A pod is without the sidecar that was not there, or not without it, when the last one was evicted. */
    private static boolean wasInVain(Observation seen, Eviction last) {
        return !last.missed().containsAll(uids(seen));
    }

    /** As many as are wanted, and all ready but, perhaps, this one: neither a rollout nor the last eviction goes on. */
    private static boolean othersServe(InjectedPod candidate, Observation seen, WorkloadRef workload) {
        var wanted = seen.workload().map(Workload::replicas).orElse(0);
        return seen.podsOf(workload).size() >= wanted
                && seen.pods().stream().filter(pod -> pod != candidate).allMatch(InjectedPod::ready);
    }
}
