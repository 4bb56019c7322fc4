package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.KnownStores;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Whether pods with a new spec may run beside those that there are. Pure. While sessions move from one store to another, every sidecar has to
 * know the store that each of the others keeps sessions in: one that does not takes a user whose session is there for a stranger, and what
 * it still commits is lost.
 */
final class StoreMove {

    /** A pod whose sidecar keeps sessions, on its way out or not. */
    record Keeper(String pod, KnownStores stores) {}

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
                ? "spec.store: " + pods + " do not know " + wanted.main()
                        + ", and would take who has a session there for"
                        + " a stranger; first let " + now.main()
                        + " be the store and this one spec.store.next, until all"
                        + " pods have been rolled"
                : "spec.store: the sessions of " + pods + " are in " + now.main()
                        + ", which is named no more, and would be"
                        + " lost; first set spec.store.previous to it, until it is empty";
        return new Refusal(ConditionType.InjectionReady, "StepSkipped", message);
    }

    private Refusal waiting(List<Keeper> inTheWay, WorkloadRef workload) {
        Predicate<Keeper> isKnown = pod -> wanted.include(pod.stores().main());
        var notKnown = inTheWay.stream().filter(isKnown.negate()).toList();
        var what = notKnown.isEmpty()
                ? names(inTheWay) + " do not know " + wanted.main() + " yet"
                : names(notKnown) + " still keep sessions in "
                        + notKnown.get(0).stores().main() + ", which is named no more";
        return new Refusal(
                ConditionType.InjectionReady,
                "WaitingForPods",
                "spec.store: " + what + "; no pod is rolled before they are gone: see kubectl rollout status "
                        + workload.argument() + ", and, if a pod's node is lost, kubectl delete pod --force");
    }

    private static String names(List<Keeper> pods) {
        return PodNames.of(pods.stream().map(Keeper::pod).toList());
    }
}
