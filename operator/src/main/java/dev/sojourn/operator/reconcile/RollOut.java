package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.status.Finding;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How far the workload's pods have come to what they are given now. Pure. A pod of before is not enough: it may be there for good, where
 * nobody replaces it, or the one that is to follow never becomes ready.
 */
final class RollOut {

    private final Optional<Workload> workload;
    private final List<InjectedPod> pods;
    private final String given;

    /** @param ref whose pods count: those of another one with the label are ready before any of these is there */
    RollOut(Observation seen, WorkloadRef ref, InjectionSettings given) {
        this.workload = seen.workload();
        this.pods = seen.podsOf(ref);
        this.given = given.hash();
    }

    Finding finding() {
        if (total() == 0) {
            return Finding.good("NoPods", "the workload has no pods");
        }
        var current = pods.stream().filter(this::isCurrent).toList();
        var serving = current.stream().filter(InjectedPod::ready).count();
        if (serving >= wanted()) {
            return Finding.good("Injected", withSidecar());
        }
        var outdated = outdated();
        var message = outdated.isEmpty()
                ? withSidecar()
                : serving + " of " + wanted() + " pods have this spec and are ready; " + PodNames.of(outdated)
                        + " had their sidecar before it";
        return Finding.bad("RollingOut", current.size() < wanted() ? message + hint(outdated) : message);
    }

    private String withSidecar() {
        return injected() + " of " + total() + " pods run with the sidecar and are ready";
    }

    private String hint(List<String> outdated) {
        if (workload.isEmpty()) {
            return "";
        }
        var there = workload.get();
        var held = there.held();
        if (held.isPresent() && (!outdated.isEmpty() || isOfBefore(there))) {
            return "; " + held.get();
        }
        return outdated.isEmpty()
                ? ""
                : "; see kubectl rollout status " + there.ref().argument();
    }

    /** All its pods are there, and those that are not seen are of before our label. Where pods are missing nobody is held back. */
    private static boolean isOfBefore(Workload workload) {
        return workload.made() >= workload.replicas();
    }

    private boolean isCurrent(InjectedPod pod) {
        return Objects.equals(given, pod.settings());
    }

    private List<String> outdated() {
        return pods.stream()
                .filter(pod -> pod.injected() && !isCurrent(pod))
                .map(InjectedPod::name)
                .toList();
    }

    /** With any settings: their sessions are kept. */
    int injected() {
        return (int) pods.stream().filter(pod -> pod.injected() && pod.ready()).count();
    }

    /** A surge of a rolling update does not count against the workload. */
    int total() {
        return Math.max(wanted(), injected());
    }

    private int wanted() {
        return workload.map(Workload::replicas).orElse(pods.size());
    }
}
