package dev.sojourn.operator.leader;

import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.owner.OwnDeployment;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.quarkus.arc.Unremovable;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The lease that one replica holds. Losing it ends the process: two reconcilers would be worse than a restart. */
public class LeaderElection {

    private static final Logger LOG = Logger.getLogger(LeaderElection.class);

    /** The pod's end does not wait for an API server that is away: the lease expires by itself. */
    private static final RequestConfig SHORT = new RequestConfigBuilder()
            .withRequestTimeout(2_000)
            .withRequestRetryBackoffLimit(0)
            .build();

    private static final UUID PROCESS = UUID.randomUUID();

    @Produces
    @Unremovable
    @Singleton
    LeaderElectionConfiguration lease(
            OperatorConfig config, KubernetesClient client, OwnDeployment own, Framework framework) {
        return new LeaderElectionConfiguration(
                name(config),
                config.namespace(),
                LeaderElectionConfiguration.LEASE_DURATION_DEFAULT_VALUE,
                RenewDeadline.AFTER,
                LeaderElectionConfiguration.RETRY_PERIOD_DEFAULT_VALUE,
                identity(config),
                // Who leads is logged by the framework, which makes the lease too.
                new LeaderCallbacks(
                        () -> own.adopt("the lease", lease(config, client)), framework::leaseLost, leader -> {}),
                false);
    }

    /** Another one leads at once, and not only when the lease has expired. Last: until then we reconcile. */
    void release(
            @Observes @Priority(ObserverMethod.DEFAULT_PRIORITY + 1) ShutdownEvent event,
            OperatorConfig config,
            KubernetesClient client) {
        try {
            client.adapt(NamespacedKubernetesClient.class)
                    .withRequestConfig(SHORT)
                    .call(once -> {
                        var lease = lease(config, once).get();
                        if (identity(config).equals(holder(lease))) {
                            lease.getSpec().setHolderIdentity("");
                            // By its version: who has taken it meanwhile keeps it.
                            once.resource(lease).update();
                        }
                        return lease;
                    });
        } catch (KubernetesClientException e) {
            LOG.infof("the lease is not released, another one leads when it has expired: %s", e.getMessage());
        }
    }

    /**
     * Who holds the lease. A container that was started again is another one: the framework begins to reconcile when it reads that it holds the
     * lease, before it has renewed it.
     */
    static String identity(OperatorConfig config) {
        return config.podName() + "_" + PROCESS;
    }

    private static @Nullable String holder(@Nullable Lease lease) {
        return Optional.ofNullable(lease)
                .map(Lease::getSpec)
                .map(LeaseSpec::getHolderIdentity)
                .orElse(null);
    }

    private static Resource<Lease> lease(OperatorConfig config, KubernetesClient client) {
        return client.leases().inNamespace(config.namespace()).withName(name(config));
    }

    /** Two releases in one namespace serve other namespaces each: they have a leader each. */
    private static String name(OperatorConfig config) {
        return config.deployment().orElse("sojourn") + "-operator";
    }
}
