package dev.sojourn.operator.reconcile;

import static java.util.Objects.requireNonNull;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.ProxyLimitsSpec.Traffic;
import dev.sojourn.operator.api.ProxySpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterSpec;
import dev.sojourn.operator.dependent.Amounts;
import dev.sojourn.operator.dependent.HelperResources;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.inject.SidecarResources;
import dev.sojourn.operator.inject.Target;
import dev.sojourn.operator.proxy.Cidr;
import dev.sojourn.operator.store.StoreProbe;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** What must hold before anything is changed: the first rule that does not is the answer. */
final class Validation {

    /** A named rule. */
    interface Rule extends BiFunction<SessionClusterSpec, Observation, Optional<Refusal>> {}

    private static final String RESOURCES_INVALID = "ResourcesInvalid";

    private static final List<Rule> RULES = List.of(
            Validation::theWebhookLooksHere,
            Validation::theWorkloadIsNoneOfOurs,
            Validation::theWorkloadIsFree,
            Validation::theWorkloadExists,
            Validation::theContainerAndPortExist,
            Validation::theSidecarsResourcesCanBeHad,
            Validation::theEnvoysResourcesCanBeHad,
            Validation::theStoresResourcesCanBeHad,
            Validation::theSecretsExist,
            Validation::theCertificateCanBeUsed,
            Validation::theLimitsCanBeUsed,
            Validation::theStoreOfBeforeHasGone,
            Validation::theVolumesCanHaveTheirSize,
            Validation::aNewStoreAnswers,
            Validation::podsKnowTheStoresOfAllOthers);

    private Validation() {}

    static Optional<Refusal> check(SessionCluster sessionCluster, Observation seen) {
        return RULES.stream()
                .flatMap(rule -> rule.apply(sessionCluster.getSpec(), seen).stream())
                .findFirst()
                .or(() -> DroppedStore.refusal(sessionCluster, seen));
    }

    /** Pods would be rolled for nothing, and missed for ever. */
    static Optional<Refusal> theWebhookLooksHere(SessionClusterSpec spec, Observation seen) {
        return seen.namespaceServed()
                ? Optional.empty()
                : Optional.of(
                        refuse(
                                ConditionType.InjectionReady,
                                "NamespaceNotServed",
                                "nothing is injected in this namespace: it is kube-system, the operator's own, or one of the chart's"
                                        + " webhook.excludedNamespaces; move the workload, or take the namespace out of that list"));
    }

    /** What is called like the store or the proxy is made, changed and deleted as that. */
    static Optional<Refusal> theWorkloadIsNoneOfOurs(SessionClusterSpec spec, Observation seen) {
        return seen.hasReservedName()
                ? Optional.of(refuse(
                        ConditionType.InjectionReady,
                        "WorkloadNameReserved",
                        "spec.workload: " + spec.workload() + " has the name that this SessionCluster's own store or"
                                + " proxy has; make the SessionCluster anew under another name"))
                : Optional.empty();
    }

    static Optional<Refusal> theWorkloadIsFree(SessionClusterSpec spec, Observation seen) {
        return seen.rival()
                .map(rival -> refuse(
                        ConditionType.InjectionReady,
                        Claim.TAKEN,
                        "spec.workload: " + spec.workload() + " belongs to SessionCluster " + rival
                                + "; name another workload, or delete one of the two SessionClusters"));
    }

    static Optional<Refusal> theWorkloadExists(SessionClusterSpec spec, Observation seen) {
        return seen.workload().isPresent()
                ? Optional.empty()
                : Optional.of(refuse(
                        ConditionType.InjectionReady,
                        "WorkloadNotFound",
                        "spec.workload: there is no " + spec.workload() + " in this namespace; it is awaited"));
    }

    static Optional<Refusal> theContainerAndPortExist(SessionClusterSpec spec, Observation seen) {
        return seen.workload()
                .map(workload -> Target.choose(workload.shape(), seen.wanted()))
                .filter(Target.None.class::isInstance)
                .map(Target.None.class::cast)
                .map(none -> refuse(ConditionType.InjectionReady, none.reason(), none.message()));
    }

    static Optional<Refusal> theSidecarsResourcesCanBeHad(SessionClusterSpec spec, Observation seen) {
        return new SidecarResources(spec.injection().resources())
                .trouble()
                .map(message -> refuse(ConditionType.InjectionReady, RESOURCES_INVALID, message));
    }

    static Optional<Refusal> theEnvoysResourcesCanBeHad(SessionClusterSpec spec, Observation seen) {
        return Optional.of(spec.proxy())
                .filter(ProxySpec::enabled)
                .flatMap(proxy -> trouble(
                        Amounts.of("spec.proxy.resources", proxy.resources()),
                        Amounts.of("spec.proxy.edgeResources", HelperResources.edge(proxy))))
                .map(message -> refuse(ConditionType.ProxyReady, RESOURCES_INVALID, message));
    }

    static Optional<Refusal> theStoresResourcesCanBeHad(SessionClusterSpec spec, Observation seen) {
        return Optional.ofNullable(spec.store().managed())
                .flatMap(managed -> trouble(
                        Amounts.of("spec.store.managed.resources", managed.resources()),
                        Amounts.of("spec.store.managed.sentinelResources", HelperResources.sentinel(managed))))
                .map(message -> refuse(ConditionType.StoreReady, RESOURCES_INVALID, message));
    }

    private static Optional<String> trouble(Amounts main, Amounts helper) {
        return main.trouble().or(helper::trouble);
    }

    static Optional<Refusal> theSecretsExist(SessionClusterSpec spec, Observation seen) {
        return seen.missingSecrets().isEmpty()
                ? Optional.empty()
                : Optional.of(
                        refuse(ConditionType.StoreReady, "SecretNotFound", String.join("; ", seen.missingSecrets())));
    }

    /** What runs goes on with the last one that could: Envoy holds it, and a pod without its Secret would not start. */
    static Optional<Refusal> theCertificateCanBeUsed(SessionClusterSpec spec, Observation seen) {
        return seen.tlsTrouble().map(trouble -> refuse(ConditionType.ProxyReady, trouble.reason(), trouble.message()));
    }

    /** Envoy would refuse all routes for the sake of one wrong range, and one that starts would have none. */
    static Optional<Refusal> theLimitsCanBeUsed(SessionClusterSpec spec, Observation seen) {
        return Optional.ofNullable(spec.proxy().limits())
                .flatMap(limits -> wrongRange("exempt", limits.exempt()).or(() -> wrongRange("deny", limits.deny())))
                .map(message -> refuse(ConditionType.ProxyReady, "LimitsInvalid", message));
    }

    private static Optional<String> wrongRange(String field, List<Traffic> traffic) {
        return traffic.stream()
                .map(Traffic::cidr)
                .filter(cidr -> cidr != null && !Cidr.isOne(cidr))
                .findFirst()
                .map(cidr -> "spec.proxy.limits." + field + ": " + cidr
                        + " is no range of addresses; write one such as 10.0.0.0/8 or fd00::/8");
    }

    static Optional<Refusal> theVolumesCanHaveTheirSize(SessionClusterSpec spec, Observation seen) {
        return seen.volumesTrouble().map(message -> refuse(ConditionType.StoreReady, "StorageUnavailable", message));
    }

    /** While pods use it, it stays; and made into one of another topology it would begin with what is on its volumes, if it can be made at all. */
    static Optional<Refusal> theStoreOfBeforeHasGone(SessionClusterSpec spec, Observation seen) {
        var managed = spec.store().managed();
        return seen.store()
                .filter(set -> managed != null)
                .map(StatefulSet::getMetadata)
                .map(ObjectMeta::getAnnotations)
                .map(annotations -> annotations.get(Names.FIXED_ANNOTATION))
                .filter(before -> !before.equals(requireNonNull(managed).fixed()))
                .map(before -> refuse(
                        ConditionType.StoreReady,
                        "StoreOfBefore",
                        "spec.store.managed: the store of before (" + before + ") is still there"
                                + (seen.store().filter(LeftStore::isLeft).isPresent() ? "" : " for pods that use it")
                                + ", and cannot become this one ("
                                + requireNonNull(managed).fixed() + "); "
                                + mendOfTheStoreOfBefore(seen)));
    }

    /** One that was left goes by itself under no spec. */
    private static String mendOfTheStoreOfBefore(Observation seen) {
        return seen.store()
                .filter(LeftStore::isLeft)
                .map(set ->
                        "a SessionCluster of this name left it: describe it as it was, or, if nobody needs its sessions,"
                                + " " + LeftStore.deletion(set))
                .orElse("take managed out of spec.store again until its StatefulSet has gone");
    }

    /** One that was accepted before may be away for a while: that is reported, and no reason to hold up the rest. */
    static Optional<Refusal> aNewStoreAnswers(SessionClusterSpec spec, Observation seen) {
        return silent(seen, seen.externalStore(), accepted -> accepted.hasSameStore(seen.wanted()))
                .map(result -> refuse(ConditionType.StoreReady, result.outcome().name(), result.message()))
                .or(() -> silent(seen, seen.otherExternalStore(), accepted -> namesOther(accepted, seen))
                        .map(result -> refuse(
                                ConditionType.StoreReady,
                                result.outcome().name(),
                                spec.store().otherPath() + ": " + result.message())));
    }

    /** The one that was the store itself, too: whoever leaves one that is lost for good could not name it as the previous one. */
    private static boolean namesOther(InjectionSettings accepted, Observation seen) {
        return Optional.ofNullable(seen.wanted().otherStore())
                .filter(accepted::names)
                .isPresent();
    }

    private static Optional<StoreProbe.Result> silent(
            Observation seen, Optional<StoreProbe.Result> store, Predicate<InjectionSettings> hasIt) {
        var isAccepted = seen.accepted().filter(hasIt).isPresent();
        return store.filter(result -> result.outcome() != StoreProbe.Outcome.StoreAnswers && !isAccepted);
    }

    static Optional<Refusal> podsKnowTheStoresOfAllOthers(SessionClusterSpec spec, Observation seen) {
        return new StoreMove(KnownStores.of(seen.wanted()), seen.accepted().map(KnownStores::of), seen.keepers())
                .hold(spec.workload());
    }

    private static Refusal refuse(ConditionType concerns, String reason, String message) {
        return new Refusal(concerns, reason, message);
    }
}
