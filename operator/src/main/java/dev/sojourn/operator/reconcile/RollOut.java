package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.status.Finding;
import java.util.List;
import java.util.Objects;

/**
 * How far the workload's pods have come to what they are given now. Pure. A pod of before is not enough: it may be there for good, where
 * nobody replaces it, or the one that is to follow never becomes ready.
 */
final class RollOut {

    private final Observation seen;
    private final String given;

    RollOut(Observation seen, InjectionSettings given) {
        this.seen = seen;
        this.given = given.hash();
    }

    Finding finding() {
        if (total() == 0) {
            return Finding.good("NoPods", "the workload has no pods");
        }
        var current = seen.pods().stream().filter(this::isCurrent).toList();
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
        if (seen.workload().isEmpty()) {
            return "";
        }
        var workload = seen.workload().get();
        var held = workload.held();
        if (held.isPresent() && (!outdated.isEmpty() || isOfBefore(workload))) {
            return "; " + held.get();
        }
        return outdated.isEmpty()
                ? ""
                : "; see kubectl rollout status " + workload.ref().argument();
    }

    /** All its pods are there, and those that are not seen are of before our label. Where pods are missing nobody is held back. */
    private static boolean isOfBefore(Workload workload) {
        return workload.made() >= workload.replicas();
    }

    private boolean isCurrent(InjectedPod pod) {
        return Objects.equals(given, pod.settings());
    }

    private List<String> outdated() {
        return seen.pods().stream()
                .filter(pod -> pod.injected() && !isCurrent(pod))
                .map(InjectedPod::name)
                .toList();
    }

    /** With any settings: their sessions are kept. */
    int injected() {
        return (int) seen.pods().stream()
                .filter(pod -> pod.injected() && pod.ready())
                .count();
    }

    /** A surge of a rolling update does not count against the workload. */
    int total() {
        return Math.max(wanted(), injected());
    }

    private int wanted() {
        return seen.workload().map(Workload::replicas).orElse(seen.pods().size());
    }
}
