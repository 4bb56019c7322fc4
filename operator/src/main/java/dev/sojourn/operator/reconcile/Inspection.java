package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.InjectionSpec;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.api.StorePodStatus;
import dev.sojourn.operator.api.StorePodStatus.Role;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.sidecar.SidecarHealth;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.Findings;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreProbe;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Judges what was observed, part by part. Pure. */
final class Inspection {

    private final SessionCluster sessionCluster;
    private final Observation seen;
    private final Optional<Refusal> refusal;

    Inspection(SessionCluster sessionCluster, Observation seen, Optional<Refusal> refusal) {
        this.sessionCluster = sessionCluster;
        this.seen = seen;
        this.refusal = refusal;
    }

    Findings findings() {
        var meta = sessionCluster.getMetadata();
        var proxy = sessionCluster.getSpec().proxy();
        var port =
                proxy.tls() == null ? proxy.service().port() : proxy.service().httpsPort();
        var endpoint = Names.proxy(sessionCluster) + "." + meta.getNamespace() + ".svc:" + port;
        return new Findings(
                store(),
                proxy(),
                injection(),
                rollOut().injected(),
                rollOut().total(),
                keptMain().orElse(seen.wanted()).storeUrl(),
                storeReached(),
                seen.storeNodes().stream().map(Inspection::pod).toList(),
                proxy.enabled() && isProxyMade() ? endpoint : null,
                given());
    }

    /** What pods are given now. A refused spec changes nothing of that. */
    private Optional<InjectionSettings> given() {
        return refusal.isEmpty() && mayInject() ? Optional.of(seen.wanted()) : seen.accepted();
    }

    private static StorePodStatus pod(StoreNode node) {
        return new StorePodStatus(node.pod(), node.primary() ? Role.Primary : Role.Replica, node.inStep());
    }

    /** By a pod that was injected with just these settings: others may speak of another store. */
    private boolean storeReached() {
        var wanted = seen.wanted().hash();
        return seen.pods().stream()
                .filter(pod -> wanted.equals(pod.settings()))
                .map(pod -> seen.sidecars().answers().get(pod.name()))
                .anyMatch(health -> health != null && health.state() == SidecarHealth.State.Up);
    }

    Finding store() {
        var store = storeItself();
        return store.status() == Status.False ? store : sidecars().judge(store);
    }

    private SidecarInspection sidecars() {
        return new SidecarInspection(sessionCluster, seen.sidecars());
    }

    /** As the operator sees it. */
    private Finding storeItself() {
        var store = sessionCluster.getSpec().store();
        return refused(ConditionType.StoreReady).orElseGet(() -> {
            var main = finding(store.external() != null && keptMain().isEmpty(), seen.externalStore());
            return main.holds() ? otherTrouble(main).or(() -> storeLeft(main)).orElse(main) : main;
        });
    }

    /** The store that was accepted, where it is the managed one and the refused spec names that no more. */
    private Optional<InjectionSettings> keptMain() {
        return kept().isEmpty()
                ? Optional.empty()
                : seen.accepted().filter(given -> KeptStore.isMain(sessionCluster, given));
    }

    private Optional<ManagedStoreSpec> kept() {
        return sessionCluster.getSpec().store().managed() == null ? managed() : Optional.empty();
    }

    /** As the spec says; while one that names none is refused, as it was accepted. */
    private Optional<ManagedStoreSpec> managed() {
        return KeptStore.of(sessionCluster, seen.store(), refusal.isEmpty() ? Optional.empty() : seen.accepted());
    }

    /** Requests whose session is not in the one store wait for the other; and what the other drops is lost as well. */
    private Optional<Finding> otherTrouble(Finding main) {
        return other().filter(finding -> !finding.holds() || isFull(finding) && !isFull(main));
    }

    private Optional<Finding> other() {
        var store = sessionCluster.getSpec().store();
        if (kept().isPresent()) {
            return keptMain().isPresent()
                    ? Optional.empty()
                    : Optional.of(of("the managed store", finding(false, Optional.empty())));
        }
        return Optional.ofNullable(store.other())
                .map(other -> of(store.otherPath(), finding(other.external() != null, seen.otherExternalStore())));
    }

    private static Finding of(String store, Finding finding) {
        return new Finding(finding.status(), finding.reason(), store + ": " + finding.message());
    }

    private static boolean isFull(Finding finding) {
        return StatusAggregator.STORE_FULL.equals(finding.reason());
    }

    /** What is to become of its sessions only they know who left it. One that is to be ours is made it when it is next looked at. */
    private Optional<Finding> storeLeft(Finding main) {
        return seen.store()
                .filter(set -> sessionCluster.getSpec().store().managed() == null)
                // That the one in use is full is worth more.
                .filter(set -> StoreProbe.Outcome.StoreAnswers.name().equals(main.reason()))
                .filter(LeftStore::isLeft)
                .map(set -> Finding.good(
                        "StoreLeft",
                        "StatefulSet " + set.getMetadata().getName()
                                + ", of a SessionCluster of this name of before, is left as it is, with its"
                                + " volumes; if nobody needs its sessions: " + LeftStore.deletion(set)));
    }

    /** One that is brought along was not asked where its Secrets are missing; a refusal for another reason may hide that. */
    private Finding finding(boolean isExternal, Optional<StoreProbe.Result> result) {
        if (!isExternal) {
            var store = new StoreInspection(sessionCluster, managed().orElseThrow(), seen).finding();
            return seen.store().isEmpty() && isStoreNew() ? orWaiting(store) : store;
        }
        return result.map(ExternalStoreInspection::finding)
                .orElseGet(() -> Finding.bad("SecretNotFound", String.join("; ", seen.missingSecrets())));
    }

    Finding proxy() {
        return refused(ConditionType.ProxyReady).orElseGet(() -> {
            var proxy = new ProxyInspection(sessionCluster, seen);
            return proxy.noGatewayApi().orElseGet(() -> isProxyMade() ? proxy.envoys() : orWaiting(proxy.envoys()));
        });
    }

    /** Or was once: the status names its endpoint from then on, for as long as the spec wants one. */
    private boolean isProxyMade() {
        return refusal.isEmpty()
                || seen.proxy().isPresent()
                || seen.accepted().isPresent()
                        && Optional.ofNullable(sessionCluster.getStatus())
                                .map(SessionClusterStatus::proxyEndpoint)
                                .isPresent();
    }

    /**
     * Nothing is made for a spec that is refused. That a part is not there, which nobody has used yet, is no trouble of its own then:
     * whoever is paged for it would look for what ails a store that nobody has tried to start.
     */
    private Finding orWaiting(Finding finding) {
        return refusal.filter(r -> !finding.holds())
                .map(r -> new Finding(Status.Unknown, "Waiting", "it is made once this is mended: " + r.message()))
                .orElse(finding);
    }

    Finding injection() {
        return refused(ConditionType.InjectionReady)
                .or(this::withheld)
                .or(this::notCreated)
                .or(this::notInjected)
                .or(this::left)
                .or(this::sidecarsInTrouble)
                .or(() -> sidecars().agentNotLoaded(seen.pods()))
                .orElseGet(() -> otherWorkloads().beside(rollOut().finding()));
    }

    private Optional<Finding> withheld() {
        if (refusal.isPresent() && seen.accepted().isEmpty()) {
            return Optional.of(Finding.bad(
                    "Waiting",
                    "no pod is touched until this is mended: " + refusal.get().message()));
        }
        return mayInject()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "WaitingForStore", "the pods are rolled when the store is ready for the first time"));
    }

    /** Pods are rolled onto a store that has answered once; later outages are the sidecars' business. */
    boolean mayInject() {
        return storeItself().holds() || (isLabelled() && !isANewStoreStarting());
    }

    private boolean isLabelled() {
        return seen.workload()
                .map(workload -> sessionCluster
                        .getMetadata()
                        .getName()
                        .equals(workload.labels().get(Names.CLUSTER_LABEL)))
                .orElse(false);
    }

    /**
     * Requests of users whose session is in neither store that there is would wait for one that is only being made, whether sessions are
     * to move to it or start there. (One that is brought along has answered: see {@link Validation}.)
     */
    private boolean isANewStoreStarting() {
        return isStoreNew()
                && !new StoreInspection(sessionCluster, managed().orElseThrow(), seen)
                        .finding()
                        .holds();
    }

    /** A managed one that no pod was ever told of. */
    private boolean isStoreNew() {
        var managed = sessionCluster.getSpec().store().managed();
        return managed != null
                && seen.accepted()
                        .map(KnownStores::of)
                        .filter(known -> known.include(Names.storeUrl(sessionCluster, managed.topology())))
                        .isEmpty();
    }

    /** Also while a spec is refused, or held back, where it wants no other number of pods than run: a shard may be lost meanwhile. */
    boolean mayTendShards() {
        return sharded()
                .filter(managed -> refusal.isEmpty()
                        || seen.store()
                                .filter(set -> kept().isPresent() ? KeptStore.isShapeKnown(set) : isOf(set, managed))
                                .isPresent())
                .isPresent();
    }

    /** The managed store, if it is one that has to be tended. */
    Optional<ManagedStoreSpec> sharded() {
        return managed().filter(managed -> managed.topology() == Topology.Sharded);
    }

    private static boolean isOf(StatefulSet set, ManagedStoreSpec managed) {
        return managed.fixed().equals(set.getMetadata().getAnnotations().get(Names.FIXED_ANNOTATION))
                && set.getSpec().getReplicas() == managed.pods();
    }

    /** A quota, a LimitRange, Pod Security, someone's webhook: there is no pod that could say so itself. */
    private Optional<Finding> notCreated() {
        return seen.workload()
                .flatMap(Workload::podsRefused)
                .map(message -> Finding.bad(
                        "PodsNotCreated",
                        "pods of " + workloadArgument() + " are refused: " + message
                                + "; if it is for the container " + Names.SIDECAR_CONTAINER
                                + ", spec.injection.resources sets its requests and limits"));
    }

    private Optional<Finding> notInjected() {
        var pods = seen.pods().stream().filter(InjectedPod::missed).toList();
        var evicts = sessionCluster.getSpec().injection().watchdog() == InjectionSpec.Watchdog.Evict
                && pods.stream()
                        .allMatch(pod -> sessionCluster.getSpec().workload().equals(pod.workload()));
        return pods.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "PodsNotInjected",
                        names(pods)
                                + " started without the sidecar, most likely while the webhook was away; "
                                + (evicts
                                        ? "they are evicted one by one while all others are ready, or "
                                        : "delete them, or ")
                                + "kubectl rollout restart " + workloadArguments(pods)));
    }

    /** Another one's pods are not made anew with those of the one that is named. */
    private String workloadArguments(List<InjectedPod> pods) {
        var arguments = WorkloadRef.arguments(pods.stream().flatMap(pod -> Stream.ofNullable(pod.workload())));
        return arguments.isEmpty() ? workloadArgument() : arguments;
    }

    private Optional<Finding> left() {
        var pods = seen.pods().stream().filter(pod -> pod.refusal() != null).toList();
        return pods.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "InjectionRefused", names(pods) + ": " + pods.get(0).refusal()));
    }

    private Optional<Finding> sidecarsInTrouble() {
        return seen.pods().stream()
                .flatMap(pod -> Optional.ofNullable(pod.sidecarTrouble()).stream())
                .findFirst()
                .map(first -> Finding.bad(
                        first.kind().name(),
                        names(seen.pods().stream()
                                        .filter(pod -> pod.sidecarTrouble() != null
                                                && pod.sidecarTrouble().kind() == first.kind())
                                        .toList())
                                + ": " + first.message()));
    }

    private RollOut rollOut() {
        return new RollOut(seen, sessionCluster.getSpec().workload(), given().orElse(seen.wanted()));
    }

    private OtherWorkloads otherWorkloads() {
        return new OtherWorkloads(sessionCluster.getMetadata().getName(), seen, given().orElse(seen.wanted()));
    }

    private Optional<Finding> refused(ConditionType type) {
        return refusal.filter(r -> r.concerns() == type).map(r -> Finding.bad(r.reason(), r.message()));
    }

    private String workloadArgument() {
        return sessionCluster.getSpec().workload().argument();
    }

    private static String names(List<InjectedPod> pods) {
        return PodNames.of(pods.stream().map(InjectedPod::name).toList());
    }
}
