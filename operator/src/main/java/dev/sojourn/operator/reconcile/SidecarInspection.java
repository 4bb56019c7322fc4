package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.inject.SidecarSpec;
import dev.sojourn.operator.sidecar.SidecarHealth;
import dev.sojourn.operator.sidecar.SidecarHealth.State;
import dev.sojourn.operator.sidecar.SidecarLook;
import dev.sojourn.operator.status.Finding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether sessions reach a store that, as far as the operator sees, is well; or, while that is not made yet, the one they have. And
 * whether the sidecars are reached by any. Pure.
 */
final class SidecarInspection {

    /** In seconds. A primary that is replaced is away for less; and whoever is away for less is not worth a word. */
    private static final int AWAY = 10;

    /**
     * In seconds. An agent connects once its first context has started, which takes an application its time, and a pod without a readiness probe is ready all the while; and
     * within a second or two to a sidecar that has begun anew.
     */
    private static final int WITHOUT_APPLICATION = 180;

    private final SessionCluster sessionCluster;
    private final SidecarLook look;

    SidecarInspection(SessionCluster sessionCluster, SidecarLook look) {
        this.sessionCluster = sessionCluster;
        this.look = look;
    }

    /** @param store what is said of the store itself; nothing is wrong with it, or nobody knows */
    Finding judge(Finding store) {
        return trouble(store, "StoreNotReached", "do not reach ", x -> x.state() == State.Down && x.seconds() >= AWAY)
                .or(() -> trouble(store, "StoreRefuses", "are refused by ", x -> x.state() == State.Refusing))
                .or(() -> notKnown(store))
                .orElse(store);
    }

    private Optional<Finding> trouble(Finding store, String reason, String what, Predicate<SidecarHealth> is) {
        var pods = look.answers().entrySet().stream()
                .filter(answer -> is.test(answer.getValue()))
                .sorted(Map.Entry.comparingByKey())
                .toList();
        if (pods.isEmpty()) {
            return Optional.empty();
        }
        var health = pods.get(0).getValue();
        return Optional.of(Finding.bad(
                reason,
                (store.holds() ? "the store answers the operator, but the sidecars of " : "the sidecars of ")
                        + PodNames.of(pods.stream().map(Map.Entry::getKey).toList()) + " (" + pods.size() + " of "
                        + look.answers().size() + " asked) " + what + itOf(store) + ": " + health.message() + "; "
                        + (store.holds() ? mend(health) : health.mend())
                        + ". Until then each of these pods keeps its sessions to itself"));
    }

    /**
     * Such a pod is ready, and so is its sidecar: only that nobody speaks to it tells. Of pods that are not ready nothing is said, for their
     * application may only be starting.
     */
    Optional<Finding> agentNotLoaded(List<InjectedPod> pods) {
        var without = pods.stream()
                .filter(pod -> pod.injected() && pod.ready())
                .map(InjectedPod::name)
                .filter(pod -> isWithoutApplication(look.answers().get(pod)))
                .toList();
        return without.isEmpty()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "AgentNotLoaded",
                        "no application is connected to the sidecar of " + PodNames.of(without)
                                + ": its sessions are not kept, and end with its pod; check that the container runs Tomcat"
                                + " on Java 8 or later and passes JAVA_TOOL_OPTIONS on, and its log for lines that begin"
                                + " with \"sojourn: \"; a pod that is no application must not have the label "
                                + Names.CLUSTER_LABEL));
    }

    private static boolean isWithoutApplication(@Nullable SidecarHealth health) {
        return health != null && health.secondsWithoutApplication() >= WITHOUT_APPLICATION;
    }

    /** Nothing is wrong as far as anybody knows; but nobody knows. */
    private Optional<Finding> notKnown(Finding store) {
        return look.asked() == 0 || !look.answers().isEmpty()
                ? Optional.empty()
                : Optional.of(new Finding(
                        store.status(),
                        store.reason(),
                        store.message() + "; whether the sidecars reach " + itOf(store)
                                + " is not known: none of them answers the operator at port "
                                + SidecarSpec.HTTP_PORT));
    }

    /** One that is not made yet is not the one that they were given, of which the spec may say nothing any more. */
    private static String itOf(Finding store) {
        return store.holds() ? "it" : "the store that they have";
    }

    /** In words of the spec, where it is the place to mend it. */
    private String mend(SidecarHealth health) {
        var external = sessionCluster.getSpec().store().external();
        return switch (health.kind()) {
            case "connecting", "refused", "network", "timeout" ->
                "if a network policy closes these pods, let them out to the store"
                        + (external == null
                                ? ", the pods labelled " + Names.OWNED_BY_LABEL + "="
                                        + sessionCluster.getMetadata().getName()
                                : "");
            case "tls" ->
                external == null
                        ? health.mend()
                        : "check spec.store.external.caSecret and the names in the store's certificate, which must not be"
                                + " an authority's own (CaUsedAsEndEntity: make it with basicConstraints=CA:FALSE)";
            case "auth" ->
                external == null
                        ? health.mend()
                        : "check the Secret of spec.store.external.credentialsSecret; the sidecars read it again when it"
                                + " changes";
            case "permission" -> "give the store's user the rights in sidecar/protocol/store.md, Permissions";
            default -> health.mend();
        };
    }
}
