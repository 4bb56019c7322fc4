package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.KnownStores;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whether pods with a new spec may run beside those that there are. Pure. While sessions move from one store to another, every sidecar has to
 * know the store that each of the others keeps sessions in: one that does not takes a user whose session is there for a stranger, and what
 * it still commits is lost.
 */
final class StoreMove {

    /**
     * A pod whose sidecar keeps sessions, on its way out or not.
     *
     * @param workload whose it is; nothing for one that somebody made by hand
     */
    record Keeper(String pod, @Nullable WorkloadRef workload, KnownStores stores) {}

    private final KnownStores wanted;
    private final Optional<KnownStores> accepted;
    private final List<Keeper> keepers;

    /** @param accepted what pods are given now */
    StoreMove(KnownStores wanted, Optional<KnownStores> accepted, List<Keeper> keepers) {
        this.wanted = wanted;
        this.accepted = accepted;
        this.keepers = keepers;
    }

    /**
     * Where only one of the two knows the other's store, sessions are to move, and a step is missing between the two. Where neither does, they
     * are not to: nobody has asked for it.
     */
    private boolean isStepMissing(KnownStores there) {
        return there.include(wanted.main()) != wanted.include(there.main());
    }

    Optional<Refusal> hold(WorkloadRef workload) {
        var inTheWay =
                keepers.stream().filter(pod -> isStepMissing(pod.stores())).toList();
        if (inTheWay.isEmpty()) {
            return Optional.empty();
        }
        // All pods are to be like that: waiting would be for ever.
        return accepted.filter(this::isStepMissing)
                .map(now -> skipped(now, names(inTheWay)))
                .or(() -> Optional.of(waiting(inTheWay, workload)));
    }

    private Refusal skipped(KnownStores now, String pods) {
        var message = wanted.include(now.main())
                ? "spec.store: to pods that do not know %s (%s) who has a session there is a stranger; first let %s be the store"
                        + " and the other one spec.store.next, until all pods have been rolled"
                : "spec.store: %3$s has the sessions of pods (%2$s) and is named no more; first set spec.store.previous to it,"
                        + " until it is empty";
        return new Refusal(
                ConditionType.InjectionReady, "StepSkipped", message.formatted(wanted.main(), pods, now.main()));
    }

    private Refusal waiting(List<Keeper> inTheWay, WorkloadRef workload) {
        Predicate<Keeper> isKnown = pod -> wanted.include(pod.stores().main());
        var notKnown = inTheWay.stream().filter(isKnown.negate()).toList();
        var what = notKnown.isEmpty()
                ? "do not know " + wanted.main() + ": " + names(inTheWay)
                : "keep sessions in " + notKnown.get(0).stores().main() + ", which is named no more: "
                        + names(notKnown);
        return new Refusal(
                ConditionType.InjectionReady,
                "WaitingForPods",
                "spec.store: there still are pods that " + what + "; the change is made when they are gone: "
                        + mend(inTheWay, workload) + ", and, if a pod's node is lost, kubectl delete pod --force");
    }

    /** The operator rolls the workload that the spec names: pods of others would stay as they are for good. */
    private static String mend(List<Keeper> inTheWay, WorkloadRef workload) {
        var others = inTheWay.stream()
                .flatMap(pod -> Stream.ofNullable(pod.workload()))
                .filter(other -> !other.equals(workload))
                .toList();
        var status = "see kubectl rollout status " + workload.argument();
        if (others.isEmpty()) {
            return status;
        }
        return (others.size() == inTheWay.size() ? "" : status + ", and ")
                + "kubectl rollout restart " + WorkloadRef.arguments(others.stream())
                + ", which the operator does not roll";
    }

    private static String names(List<Keeper> pods) {
        return PodNames.of(pods.stream().map(Keeper::pod).toList());
    }
}
