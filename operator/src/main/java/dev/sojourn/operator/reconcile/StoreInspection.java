package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.DroppedKeys;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreRollout;
import dev.sojourn.operator.store.shard.ShardReport;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/** Judges the managed store. Pure. */
final class StoreInspection {

    /** In per cent of maxmemory; above 100 sessions are dropped before their time. */
    private static final int FILLING = 80;

    private static final String MORE_MEMORY =
            "raise spec.store.managed.resources.limits.memory, and before that storage.size to four times of it";

    private final SessionCluster sessionCluster;
    private final ManagedStoreSpec managed;
    private final Observation seen;
    private final int ready;

    StoreInspection(SessionCluster sessionCluster, ManagedStoreSpec managed, Observation seen) {
        this.sessionCluster = sessionCluster;
        this.managed = managed;
        this.seen = seen;
        this.ready = seen.store()
                .map(set -> set.getStatus())
                .map(status -> status.getReadyReplicas())
                .orElse(0);
    }

    Finding finding() {
        if (seen.store().isEmpty()) {
            return Finding.bad("StoreStarting", "the store has not been made yet");
        }
        return starting()
                .or(this::headless)
                .or(() -> sharding().filter(finding -> !finding.holds()))
                .or(this::full)
                .or(this::sharding)
                .or(this::filling)
                .or(this::rolling)
                .or(this::degraded)
                .orElseGet(this::runs);
    }

    private Optional<Finding> starting() {
        return ready > 0
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "StoreStarting",
                        "no pod of the store is ready; see kubectl describe "
                                + notMade().orElseGet(() -> "of " + pods())));
    }

    private String pods() {
        var first = Names.store(sessionCluster) + "-0";
        return managed.pods() > 1 ? first + " to " + (managed.pods() - 1) : first;
    }

    /** A quota, a LimitRange, an admission policy: there is no pod that could say so itself. */
    private Optional<String> notMade() {
        var made = seen.store()
                .map(StatefulSet::getStatus)
                .map(StatefulSetStatus::getReplicas)
                .orElse(0);
        return made >= managed.pods()
                ? Optional.empty()
                : Optional.of("statefulset " + Names.store(sessionCluster) + ", which has made " + made + " of "
                        + managed.pods() + " pods: its events say who refuses the others; if it is for their CPU or"
                        + " memory, spec.store.managed.resources and sentinelResources set requests and limits");
    }

    /** A single server that is ready is the primary, whether or not the operator's network reaches it. */
    private Optional<Finding> headless() {
        var primaries = seen.storeNodes().stream().filter(StoreNode::primary).count();
        return managed.topology() == Topology.Standalone || primaries >= managed.primaries()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "StoreWithoutPrimary",
                        "of " + managed.primaries() + " primaries " + primaries
                                + " answer the operator; a replica takes over within"
                                + " seconds; if none does, see the logs of " + Names.store(sessionCluster) + "-0"));
    }

    /** Slots that nobody serves are sessions that nobody can read; slots on their way are only worth a word. */
    private Optional<Finding> sharding() {
        if (managed.topology() != Topology.Sharded) {
            return Optional.empty();
        }
        if (seen.shards().isEmpty()) {
            return Optional.of(saidBefore()
                    .orElseGet(() -> Finding.bad("StoreStarting", "the pods of the store have not been asked yet")));
        }
        var report = seen.shards().get();
        var doing = report.trouble().or(report::next).orElse("waiting for its pods");
        if (report.unserved() > 0) {
            return Optional.of(
                    Finding.bad("StoreSlotsUnserved", report.unserved() + " slots are served by nobody; " + doing));
        }
        return report.next()
                .map(next -> doing)
                .or(() -> resharding(report))
                .map(what -> Finding.good("StoreResharding", what));
    }

    /** An operator that has just become the leader has no report yet; what the one before saw of this very spec holds until then. */
    private Optional<Finding> saidBefore() {
        var meta = sessionCluster.getMetadata();
        return Optional.ofNullable(sessionCluster.getStatus()).stream()
                .flatMap(status -> status.conditions().stream())
                .filter(condition -> ConditionType.StoreReady.name().equals(condition.getType())
                        && Objects.equals(condition.getObservedGeneration(), meta.getGeneration()))
                .map(condition -> new Finding(
                        Status.valueOf(condition.getStatus()), condition.getReason(), condition.getMessage()))
                // It had not been made then.
                .filter(before -> before.status() != Status.Unknown)
                .findFirst();
    }

    /** A report is of the spec before until the pods have been asked under this one; and a pod that is to go is a primary to the end, if one of nothing. */
    private Optional<String> resharding(ShardReport report) {
        int wanted = managed.pods();
        if (report.pods() != wanted) {
            return Optional.of("from " + report.pods() + " pods to " + wanted);
        }
        int there = seen.storeNodes().size();
        if (there <= wanted) {
            return Optional.empty();
        }
        return Optional.of(
                report.drained()
                        ? "taking away " + (there - wanted) + " pods that hold nothing any more"
                        : (there - wanted) + " pods are to go, once every shard has its copies in the others;"
                                + " see kubectl get pods for those that are not ready");
    }

    /** It goes on: writes are taken, by what was unused for longest. */
    private Optional<Finding> full() {
        var dropping = seen.storeLook().dropping();
        return dropping.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.good(
                        StatusAggregator.STORE_FULL,
                        PodNames.of(dropping.stream().sorted().toList())
                                + " dropped sessions unused for longest before their time within "
                                + DroppedKeys.LATELY.toMinutes()
                                + " minutes, for want of memory: their users are logged out when they come to a pod that"
                                + " has no copy; " + MORE_MEMORY));
    }

    private Optional<Finding> filling() {
        return seen.storeNodes().stream()
                .filter(node -> node.percentUsed().orElse(0) >= FILLING)
                .max(Comparator.comparing(node -> node.percentUsed().orElse(0)))
                .map(node -> Finding.good(
                        "StoreFilling",
                        node.pod() + " uses more than " + FILLING
                                + " % of its memory; when it is full, the sessions unused for longest are dropped: "
                                + MORE_MEMORY));
    }

    private Optional<Finding> rolling() {
        return seen.storeRollout()
                .filter(rollout ->
                        !rollout.outdated().isEmpty() && rollout.late().isEmpty())
                .map(rollout -> {
                    var awaited = rollout.awaited();
                    return Finding.good(
                            "StoreRolling",
                            "pods of before: " + PodNames.of(rollout.outdated())
                                    + "; one is replaced at a time, while all are ready"
                                    + (awaited.isEmpty() ? "" : "; waiting for " + PodNames.of(awaited)));
                });
    }

    private Optional<Finding> degraded() {
        var late = seen.storeRollout().map(StoreRollout::late).orElse(List.of());
        return ready >= managed.pods()
                ? Optional.empty()
                : Optional.of(Finding.good(
                        "StoreDegraded",
                        ready + " of " + managed.pods()
                                + " pods of the store are ready; sessions are kept, but with fewer"
                                + " copies; see kubectl "
                                + (late.isEmpty()
                                        ? notMade()
                                                .map(set -> "describe " + set)
                                                .orElse("get pods")
                                        : "describe of " + PodNames.of(late)
                                                + ", which the store's roll-out waits for")));
    }

    private Finding runs() {
        var primaries = seen.storeNodes().stream()
                .filter(StoreNode::primary)
                .map(StoreNode::pod)
                .collect(Collectors.joining(", "));
        return Finding.good(
                "StoreRuns",
                managed.pods() == 1
                        ? "pod " + Names.store(sessionCluster) + "-0 is ready"
                        : managed.pods() + " pods are ready, primary: " + primaries);
    }
}
