package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClaimTest {

    private final SessionCluster older = cluster("older", "2026-01-01T00:00:00Z");
    private final SessionCluster younger = cluster("younger", "2026-02-01T00:00:00Z");

    @Test
    void theOldestHasAWorkloadThatIsNobodysYet() {
        assertThat(holder("{}", younger, older)).hasValue("older");
        assertThat(Claim.holder(List.of(younger, older), Optional.empty())).hasValue("older");
        assertThat(holder("{}")).isEmpty();
    }

    /** Another one's pods would be rolled, and who is logged in there would be a stranger. */
    @Test
    void anOlderOneThatComesToNameItDoesNotTakeItAway() {
        assertThat(holder("{sojourn.dev/cluster: younger}", older, younger)).hasValue("younger");
    }

    @Test
    void aLabelOfOneThatDoesNotNameItHoldsNothing() {
        assertThat(holder("{sojourn.dev/cluster: third}", younger, older)).hasValue("older");
    }

    @Test
    void oneThatIsDeletedHoldsNothing() {
        younger.getMetadata().setDeletionTimestamp("2026-03-01T00:00:00Z");
        assertThat(holder("{sojourn.dev/cluster: younger}", older, younger)).hasValue("older");
    }

    private static Optional<String> holder(String labels, SessionCluster... claimants) {
        var workload = Seen.workload("{metadata: {labels: " + labels + "}, spec: {containers: [{name: app}]}}");
        return Claim.holder(List.of(claimants), Optional.of(workload));
    }

    private static SessionCluster cluster(String name, String created) {
        var cluster = new SessionCluster();
        cluster.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withCreationTimestamp(created)
                .build());
        return cluster;
    }
}
