package dev.sojourn.operator.reconcile;

import static java.util.stream.Collectors.toSet;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.OtherStoreSpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.proxy.GatewayApi;
import dev.sojourn.operator.proxy.ProxyConfigMap;
import dev.sojourn.operator.proxy.TlsSecret;
import dev.sojourn.operator.sidecar.SidecarObserver;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.ExternalStoreMetrics;
import dev.sojourn.operator.store.StoreLook;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreObserver;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreRollout;
import dev.sojourn.operator.store.StoreSecret;
import dev.sojourn.operator.store.StoreVolumes;
import dev.sojourn.operator.store.shard.ShardSteward;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks everything up, from caches where there are any. */
@ApplicationScoped
public class Observer {

    private final StoreProbe probe;
    private final ExternalStoreMetrics externalStores;
    private final StoreObserver stores;
    private final ShardSteward shards;
    private final SidecarObserver sidecars;
    private final GatewayApi gateways;
    private final OperatorConfig config;

    public Observer(
            StoreProbe probe,
            ExternalStoreMetrics externalStores,
            StoreObserver stores,
            ShardSteward shards,
            SidecarObserver sidecars,
            GatewayApi gateways,
            OperatorConfig config) {
        this.probe = probe;
        this.externalStores = externalStores;
        this.stores = stores;
        this.shards = shards;
        this.sidecars = sidecars;
        this.gateways = gateways;
        this.config = config;
    }

    Observation observe(SessionCluster primary, Context<SessionCluster> context) {
        var now = Instant.now();
        var store = primary.getSpec().store();
        var external = Optional.ofNullable(store.external())
                .map(spec -> new ExternalStore(primary, context, spec, "spec.store.external"));
        var other = Optional.ofNullable(store.other())
                .map(OtherStoreSpec::external)
                .map(spec -> new ExternalStore(primary, context, spec, store.otherPath() + ".external"));
        var externalSays = external.flatMap(one -> one.probe(probe, config.namespace()));
        var otherSays = other.flatMap(one -> one.probe(probe, config.namespace()));
        externalStores.tell(
                ResourceID.fromResource(primary),
                Stream.of(externalSays, otherSays)
                        .flatMap(Optional::stream)
                        .flatMap(result -> result.servers().stream())
                        .toList());
        var pods = pods(context, now);
        var set = made(primary, context, StatefulSet.class, Names.store(primary));
        var accepted = Optional.ofNullable(primary.getStatus()).map(SessionClusterStatus::injection);
        var managed = KeptStore.of(primary, set, accepted);
        // One that was left is nobody's to roll, and of one that is not looked at nobody knows the primary.
        var rolling = set.filter(one -> managed.isPresent() && one.hasOwnerReferenceFor(primary))
                .filter(StoreRollout::isUnderWay);
        var isSharded =
                managed.filter(one -> one.topology() == Topology.Sharded).isPresent();
        var storePods = isSharded || rolling.isPresent() ? storePods(primary, context) : List.<Pod>of();
        var look = look(primary, managed, set, storePods, context);
        var proxy = made(primary, context, Deployment.class, Names.proxy(primary));
        var workload = workload(primary, context);
        return new Observation(
                config.injectsIn(primary.getMetadata().getNamespace()),
                workload,
                others(primary, context),
                Names.isOwn(primary, primary.getSpec().workload()),
                rival(primary, workload, context),
                pods,
                keepers(context),
                sidecars.observe(primary, sidecars(pods)),
                Stream.of(external, other)
                        .flatMap(Optional::stream)
                        .flatMap(one -> one.missing().stream())
                        .toList(),
                tlsTrouble(primary, context),
                externalSays,
                otherSays,
                set,
                rolling.map(there -> rollout(there, storePods, look, now)),
                set.flatMap(there -> volumesTrouble(primary, there, context)),
                look,
                shards.lastReport(primary),
                proxy,
                proxy.filter(ProxyInspection::isShortOfEnvoys).stream()
                        .flatMap(there -> BlindEnvoys.among(proxyPods(primary, context), now))
                        .toList(),
                gateways.isInstalled(),
                InjectionSettings.of(primary),
                accepted);
    }

    private static List<InjectedPod> pods(Context<SessionCluster> context, Instant now) {
        return context.getSecondaryResourcesAsStream(Pod.class)
                .filter(InjectedPod::counts)
                .map(pod -> InjectedPod.of(pod, now))
                .sorted(Comparator.comparing(InjectedPod::name))
                .toList();
    }

    /** Those on their way out too: they still commit. */
    private static List<StoreMove.Keeper> keepers(Context<SessionCluster> context) {
        return context.getSecondaryResourcesAsStream(Pod.class)
                .filter(pod -> !InjectedPod.isOver(pod))
                .flatMap(pod -> KnownStores.of(pod)
                        .map(stores ->
                                new StoreMove.Keeper(pod.getMetadata().getName(), InjectedPod.workload(pod), stores))
                        .stream())
                .sorted(Comparator.comparing(StoreMove.Keeper::pod))
                .toList();
    }

    /** One that starts has had no time to find the store. */
    private static List<SidecarObserver.Sidecar> sidecars(List<InjectedPod> pods) {
        return pods.stream()
                .filter(pod -> pod.injected() && pod.ready() && pod.ip() != null)
                .map(pod -> new SidecarObserver.Sidecar(pod.name(), String.valueOf(pod.ip())))
                .toList();
    }

    StoreLook look(
            SessionCluster primary,
            Optional<ManagedStoreSpec> managed,
            Optional<StatefulSet> set,
            List<Pod> storePods,
            Context<SessionCluster> context) {
        if (managed.isEmpty()) {
            forgetStore(primary);
            return StoreLook.NONE;
        }
        // Not as the spec says: while it is refused there are others.
        int replicas = set.map(there -> there.getSpec().getReplicas()).orElse(0);
        return named(context, Secret.class, Names.store(primary))
                .map(secret -> managed.get().topology() == Topology.Sharded
                        ? stores.observe(primary, replicas, storePods, secret)
                        : stores.observe(primary, replicas, secret))
                .orElse(StoreLook.NONE);
    }

    private static StoreRollout rollout(StatefulSet set, List<Pod> storePods, StoreLook look, Instant now) {
        return new StoreRollout(
                set,
                storePods.stream().map(StoreRollout.RunningPod::of).toList(),
                look.nodes().stream()
                        .filter(StoreNode::primary)
                        .map(StoreNode::pod)
                        .collect(toSet()),
                now);
    }

    private static Optional<String> volumesTrouble(
            SessionCluster primary, StatefulSet set, Context<SessionCluster> context) {
        return Optional.ofNullable(primary.getSpec().store().managed())
                .flatMap(managed -> StoreVolumes.trouble(primary, managed, set, context.getClient()));
    }

    /** Watched by nobody: they are asked for where their shards matter, and while some are to be replaced. */
    private static List<Pod> storePods(SessionCluster primary, Context<SessionCluster> context) {
        return pods(primary, StoreSecret.COMPONENT, context);
    }

    /** Watched by nobody either: they are asked for while one of them is not ready. */
    private static List<Pod> proxyPods(SessionCluster primary, Context<SessionCluster> context) {
        return pods(primary, ProxyConfigMap.COMPONENT, context);
    }

    private static List<Pod> pods(SessionCluster primary, String component, Context<SessionCluster> context) {
        return context.getClient()
                .pods()
                .inNamespace(primary.getMetadata().getNamespace())
                .withLabels(Names.labels(primary, component))
                .list()
                .getItems();
    }

    void forget(SessionCluster primary) {
        externalStores.forget(ResourceID.fromResource(primary));
        forgetStore(primary);
        sidecars.forget(primary);
    }

    /** Sessions may have moved on to one brought along: what was seen last would be told for ever, and taken for that of a later one. */
    private void forgetStore(SessionCluster primary) {
        stores.forget(primary);
        shards.forget(primary);
    }

    private static Optional<Finding> tlsTrouble(SessionCluster primary, Context<SessionCluster> context) {
        var proxy = primary.getSpec().proxy();
        return Optional.ofNullable(proxy.tls())
                .filter(tls -> proxy.enabled())
                .flatMap(tls -> TlsSecret.trouble(tls.secretName(), secretData(primary, context, tls.secretName())));
    }

    /** Read by name when needed: watching it would mean watching everybody's Secrets. */
    static @Nullable Map<String, String> secretData(
            SessionCluster primary, Context<SessionCluster> context, String name) {
        Secret secret = context.getClient()
                .secrets()
                .inNamespace(primary.getMetadata().getNamespace())
                .withName(name)
                .get();
        return secret == null ? null : Objects.requireNonNullElse(secret.getData(), Map.of());
    }

    /** Those on their way out too: they still commit. */
    static List<Pod> podsWithSidecar(Context<SessionCluster> context) {
        return context.getSecondaryResourcesAsStream(Pod.class)
                .filter(pod -> InjectedPod.isInjected(pod) && !InjectedPod.isOver(pod))
                .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
                .toList();
    }

    static Optional<Workload> workload(SessionCluster primary, Context<SessionCluster> context) {
        var ref = primary.getSpec().workload();
        return ref.kind() == WorkloadRef.Kind.Deployment
                ? named(context, Deployment.class, ref.name()).map(Workload::of)
                : named(context, StatefulSet.class, ref.name()).map(Workload::of);
    }

    /** The one that is named, and whatever else has the label in its template: nobody takes the sidecar out of that but us. */
    static List<Workload> workloads(SessionCluster primary, Context<SessionCluster> context) {
        return Stream.concat(workload(primary, context).stream(), WorkloadSources.labelled(primary, context).stream())
                .distinct()
                .toList();
    }

    static List<WorkloadRef> others(SessionCluster primary, Context<SessionCluster> context) {
        return WorkloadSources.labelled(primary, context).stream()
                .map(Workload::ref)
                .filter(ref -> !ref.equals(primary.getSpec().workload()))
                .sorted(Comparator.comparing(WorkloadRef::argument))
                .toList();
    }

    static <R extends HasMetadata> Optional<R> named(Context<SessionCluster> context, Class<R> type, String name) {
        return context.getSecondaryResourcesAsStream(type)
                .filter(resource -> resource.getMetadata().getName().equals(name))
                .findFirst();
    }

    /** Workloads are found by their names too, and one of the user's may be called like the store or the proxy. */
    static <R extends HasMetadata> Optional<R> made(
            SessionCluster primary, Context<SessionCluster> context, Class<R> type, String name) {
        return named(context, type, name).filter(resource -> Names.isMadeFor(primary, resource));
    }

    private static Optional<String> rival(
            SessionCluster primary, Optional<Workload> workload, Context<SessionCluster> context) {
        var claimants = context.getPrimaryCache().byIndex(WorkloadSources.BY_WORKLOAD, WorkloadSources.key(primary));
        return Claim.holder(claimants, workload)
                .filter(holder -> !holder.equals(primary.getMetadata().getName()));
    }
}
