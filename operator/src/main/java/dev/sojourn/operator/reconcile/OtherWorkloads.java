package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.StatusAggregator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Workloads that have the label in their template and are not the one that the spec names: a canary, the one that was named before, or one
 * that was named by mistake and is sent users of another application since. Pure. Which of them it is only who put it there knows.
 */
final class OtherWorkloads {

    private static final int NAMED = 3;

    private final String cluster;
    private final List<WorkloadRef> workloads;
    private final List<InjectedPod> outdated;

    /** @param given what pods are given now */
    OtherWorkloads(String cluster, Observation seen, InjectionSettings given) {
        this.cluster = cluster;
        this.workloads = seen.others();
        this.outdated = seen.pods().stream()
                .filter(pod -> pod.injected() && !given.hash().equals(pod.settings()))
                .filter(pod -> workloads.contains(pod.workload()))
                .toList();
    }

    /** @param finding of the one that is named */
    Finding beside(Finding finding) {
        if (workloads.isEmpty()) {
            return finding;
        }
        return new Finding(
                finding.status(),
                finding.holds() ? "OtherWorkloads" : finding.reason(),
                finding.message()
                        + words(StatusAggregator.LONGEST_MESSAGE
                                - finding.message().length()));
    }

    /** A command that is cut is worth nothing: rather than that, names are left out, and then all commands but those for one. */
    private String words(int room) {
        return Stream.of(words(NAMED, true), words(NAMED, false))
                .filter(words -> words.length() <= room)
                .findFirst()
                .orElseGet(() -> words(1, false));
    }

    /**
     * @param named in each command, at most
     * @param listed whether all are named before it
     */
    private String words(int named, boolean listed) {
        return "; with label " + Names.CLUSTER_LABEL + "=" + cluster
                + " in their template, so with the sidecar, the sessions and their share of the requests: "
                + (listed
                        ? PodNames.of(
                                workloads.stream().map(WorkloadRef::argument).toList())
                        : workloads.size() + " workloads")
                + "; to take it out, if that is not meant: kubectl patch "
                + WorkloadRef.arguments(workloads.stream().limit(named))
                + " --type=merge -p '" + TemplatePatch.RELEASE + "'" + restart(named, listed);
    }

    /** The operator rolls the one that is named alone. */
    private String restart(int named, boolean listed) {
        return outdated.isEmpty()
                ? ""
                : "; pods of before this spec: "
                        + (listed
                                ? PodNames.of(
                                        outdated.stream().map(InjectedPod::name).toList())
                                : String.valueOf(outdated.size()))
                        + ": kubectl rollout restart "
                        + WorkloadRef.arguments(outdated.stream()
                                .map(InjectedPod::workload)
                                .distinct()
                                .limit(named));
    }
}
