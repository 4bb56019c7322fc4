package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * Whether this cluster has HTTPRoutes: a watch on what is not there would fail for ever. Asked by discovery, which everybody may, and
 * again from time to time: the Gateway API may be installed after us.
 */
@ApplicationScoped
public class GatewayApi {

    private static final Duration FRESH = Duration.ofMinutes(1);

    private final KubernetesClient client;
    private final InstantSource clock = InstantSource.system();
    private @Nullable Answer last;

    private record Answer(boolean installed, long atMillis) {}

    public GatewayApi(KubernetesClient client) {
        this.client = client;
    }

    public synchronized boolean isInstalled() {
        var known = last;
        if (known == null || known.atMillis() + FRESH.toMillis() < clock.millis()) {
            known = new Answer(client.supports(HTTPRoute.class), clock.millis());
            last = known;
        }
        return known.installed();
    }

    /** What was observed is what the workflow acts on. */
    public static void tell(Context<SessionCluster> context, boolean installed) {
        context.managedWorkflowAndDependentResourceContext().put(GatewayApi.class, installed);
    }

    /** The same for every SessionCluster: it switches the watch. */
    public static class Installed implements Condition<HTTPRoute, SessionCluster> {

        @Override
        public boolean isMet(
                DependentResource<HTTPRoute, SessionCluster> dependent,
                SessionCluster primary,
                Context<SessionCluster> context) {
            return context.managedWorkflowAndDependentResourceContext()
                    .get(GatewayApi.class, Boolean.class)
                    .orElse(false);
        }
    }
}
