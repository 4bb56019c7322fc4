package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.sidecar.SidecarLook;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.StoreLook;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreRollout;
import dev.sojourn.operator.store.shard.ShardReport;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Optional;

/**
 * All that a decision needs; nothing is looked up after it was made.
 *
 * @param others that have the label in their template, too
 */
public record Observation(
        boolean namespaceServed,
        Optional<Workload> workload,
        List<WorkloadRef> others,
        boolean hasReservedName,
        Optional<String> rival,
        List<InjectedPod> pods,
        List<StoreMove.Keeper> keepers,
        SidecarLook sidecars,
        List<String> missingSecrets,
        Optional<Finding> tlsTrouble,
        Optional<StoreProbe.Result> externalStore,
        Optional<StoreProbe.Result> otherExternalStore,
        Optional<StatefulSet> store,
        Optional<StoreRollout> storeRollout,
        Optional<String> volumesTrouble,
        StoreLook storeLook,
        Optional<ShardReport> shards,
        Optional<Deployment> proxy,
        List<String> blindEnvoys,
        boolean gatewayApi,
        InjectionSettings wanted,
        Optional<InjectionSettings> accepted) {

    public Observation {
        others = List.copyOf(others);
        pods = List.copyOf(pods);
        keepers = List.copyOf(keepers);
        missingSecrets = List.copyOf(missingSecrets);
        blindEnvoys = List.copyOf(blindEnvoys);
    }

    /** Without those of other workloads that have the label in their template: a canary, or the one that was named before. */
    List<InjectedPod> podsOf(WorkloadRef workload) {
        return pods.stream().filter(pod -> workload.equals(pod.workload())).toList();
    }

    public List<StoreNode> storeNodes() {
        return storeLook.nodes();
    }
}
