package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.ProxySpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.proxy.ProxyContainers;
import dev.sojourn.operator.status.Finding;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges the proxy. Pure. */
final class ProxyInspection {

    private final SessionCluster sessionCluster;
    private final ProxySpec spec;
    private final Observation seen;

    ProxyInspection(SessionCluster sessionCluster, Observation seen) {
        this.sessionCluster = sessionCluster;
        this.spec = sessionCluster.getSpec().proxy();
        this.seen = seen;
    }

    /** Everything else is done, and the route as soon as it can be. */
    Optional<Finding> noGatewayApi() {
        var expose = spec.expose();
        return expose == null || expose.httpRoute() == null || seen.gatewayApi()
                ? Optional.empty()
                : Optional.of(Finding.bad(
                        "GatewayApiNotInstalled",
                        "spec.proxy.expose.httpRoute: this cluster has no HTTPRoute of gateway.networking.k8s.io/v1;"
                                + " install the Gateway API, or remove the field"));
    }

    Finding envoys() {
        if (!spec.enabled()) {
            return Finding.good("ProxyDisabled", "spec.proxy.enabled is false");
        }
        var ready = number(seen.proxy().map(Deployment::getStatus).map(DeploymentStatus::getReadyReplicas));
        var message = ready + " of " + spec.replicas() + " Envoys are ready";
        if (!seen.blindEnvoys().isEmpty()) {
            return Finding.bad("ProxyFindsNoPod", message + blind());
        }
        if (ready == 0) {
            return Finding.bad("ProxyStarting", message + refused().orElse(""));
        }
        return seen.proxy().filter(this::isRolledOut).isPresent()
                ? Finding.good("ProxyRuns", message)
                : Finding.good("ProxyRollingOut", message + progress());
    }

    /** Envoys of before serve, and are enough by their number: they stay for as long as the first one that is to follow does not come. */
    private boolean isRolledOut(Deployment deployment) {
        var status = deployment.getStatus();
        return isObserved(deployment)
                && number(status.getUpdatedReplicas()) >= spec.replicas()
                && number(status.getReplicas()) <= number(status.getUpdatedReplicas())
                && number(status.getReadyReplicas()) >= spec.replicas();
    }

    private static boolean isObserved(Deployment deployment) {
        var generation = Objects.requireNonNullElse(deployment.getMetadata().getGeneration(), 0L);
        return Objects.requireNonNullElse(deployment.getStatus().getObservedGeneration(), 0L) >= generation;
    }

    /** One that could not serve does not take the place of one that does: the roll-out stands until this is mended. */
    private String blind() {
        var pod = seen.blindEnvoys().get(0);
        var path = spec.healthCheckPath();
        return "; that of pod " + pod + " runs, and finds none of the application's ready pods well: "
                + (path == null
                        ? "they take no connection from it at spec.port, or a network policy is in its way"
                        : "spec.proxy.healthCheckPath (" + path
                                + ") must answer 200 to who has no session; write another, or leave it out")
                + "; kubectl logs " + pod + " -c " + ProxyContainers.EDGE + " says what a pod answers";
    }

    /** Of the pods that it wants one is not ready, or not there. */
    static boolean isShortOfEnvoys(Deployment deployment) {
        return Optional.ofNullable(deployment.getStatus())
                .map(DeploymentStatus::getUnavailableReplicas)
                .filter(unavailable -> unavailable > 0)
                .isPresent();
    }

    private String progress() {
        var updated = number(seen.proxy()
                .filter(ProxyInspection::isObserved)
                .map(Deployment::getStatus)
                .map(DeploymentStatus::getUpdatedReplicas));
        var progress = updated < spec.replicas() ? ", " + updated + " made of this spec" : "";
        return progress + refused().orElse("; see kubectl rollout status deployment/" + Names.proxy(sessionCluster));
    }

    /** There is no pod that could say so itself. */
    private Optional<String> refused() {
        return seen.proxy()
                .flatMap(Workload::podsRefused)
                .map(
                        message -> "; pods of deployment/" + Names.proxy(sessionCluster) + " are refused: " + message
                                + "; if it is for their CPU or memory, spec.proxy.resources and edgeResources set requests and limits");
    }

    private static int number(Optional<Integer> number) {
        return number.orElse(0);
    }

    private static int number(@Nullable Integer number) {
        return Objects.requireNonNullElse(number, 0);
    }
}
