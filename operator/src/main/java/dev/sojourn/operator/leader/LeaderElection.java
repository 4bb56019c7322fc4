package dev.sojourn.operator.leader;

import dev.sojourn.operator.config.OperatorConfig;
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
    LeaderElectionConfiguration lease(OperatorConfig config) {
        return new LeaderElectionConfiguration(
                "sojourn-operator",
                config.namespace(),
                LeaderElectionConfiguration.LEASE_DURATION_DEFAULT_VALUE,
                LeaderElectionConfiguration.RENEW_DEADLINE_DEFAULT_VALUE,
                LeaderElectionConfiguration.RETRY_PERIOD_DEFAULT_VALUE,
                config.identity(),
                // Only to have an identity: the framework logs who leads.
                new LeaderCallbacks(() -> {}, () -> {}, leader -> {}),
                true);
    }
}
