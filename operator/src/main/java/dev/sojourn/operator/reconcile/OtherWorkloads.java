package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.status.Finding;
import java.util.List;

/**
 * Workloads that have the label in their template and are not the one that the spec names: a canary, the one that was named before, or one
 * that was named by mistake and is sent users of another application since. Pure. Which of them it is only who put it there knows.
 */
final class OtherWorkloads {

    /** A message is no longer than a condition may be. */
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
                finding.status(), finding.holds() ? "OtherWorkloads" : finding.reason(), finding.message() + words());
    }

    private String words() {
        var named = workloads.subList(0, Math.min(NAMED, workloads.size()));
        return "; with label " + Names.CLUSTER_LABEL + "=" + cluster
                + " in their template, so with the sidecar, the sessions and their share of the requests: "
                + PodNames.of(workloads.stream().map(WorkloadRef::argument).toList())
                + "; to take it out, if that is not meant: kubectl patch " + WorkloadRef.arguments(named.stream())
                + " --type=merge -p '" + TemplatePatch.RELEASE + "'" + restart();
    }

    /** The operator rolls the one that is named alone. */
    private String restart() {
        return outdated.isEmpty()
                ? ""
                : "; pods of before this spec: "
                        + PodNames.of(outdated.stream().map(InjectedPod::name).toList())
                        + ": kubectl rollout restart "
                        + WorkloadRef.arguments(outdated.stream().map(InjectedPod::workload));
    }
}
