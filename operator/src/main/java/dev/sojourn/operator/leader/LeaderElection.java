package dev.sojourn.operator.leader;

import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.owner.OwnDeployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.quarkus.arc.Unremovable;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** The lease that one replica holds. Losing it ends the process: two reconcilers would be worse than a restart. */
public class LeaderElection {

    @Produces
    @Unremovable
    @Singleton
    LeaderElectionConfiguration lease(OperatorConfig config, KubernetesClient client, OwnDeployment own) {
        // Two releases in one namespace serve other namespaces each: they have a leader each.
        var name = config.deployment().orElse("sojourn") + "-operator";
        var lease = client.leases().inNamespace(config.namespace()).withName(name);
        return new LeaderElectionConfiguration(
                name,
                config.namespace(),
                LeaderElectionConfiguration.LEASE_DURATION_DEFAULT_VALUE,
                LeaderElectionConfiguration.RENEW_DEADLINE_DEFAULT_VALUE,
                LeaderElectionConfiguration.RETRY_PERIOD_DEFAULT_VALUE,
                config.identity(),
                // Who leads is logged by the framework, which makes the lease too.
                new LeaderCallbacks(() -> own.adopt("the lease", lease), () -> {}, leader -> {}),
                true);
    }
}
