package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
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

    /** What replaces the whole template takes the label along; all pods would get another store. */
    @Test
    void withTheLabelGoneTheOneThatHadItHasIt() {
        said(older, 1, "WorkloadTaken", true);
        said(younger, 1, "Injected", true);
        assertThat(holder("{}", older, younger)).hasValue("younger");
        // Changed together with the workload, by one who applies both.
        younger.getMetadata().setGeneration(2L);
        assertThat(holder("{}", older, younger)).hasValue("younger");
        said(younger, 1, "RollingOut", false);
        assertThat(holder("{}", older, younger)).hasValue("older");
    }

    /** Its settings were those of the other one. */
    @Test
    void oneThatHadAnotherWorkloadUntilNowDidNotHaveIt() {
        said(older, 1, "Injected", true);
        older.getMetadata().setGeneration(2L);
        said(younger, 1, "Injected", true);
        assertThat(holder("{}", older, younger)).hasValue("younger");
    }

    private static void said(SessionCluster cluster, long generation, String reason, boolean injects) {
        cluster.getMetadata().setGeneration(generation);
        cluster.setStatus(Serialization.unmarshal(
                """
                observedGeneration: %d
                conditions: [{type: InjectionReady, status: "False", reason: %s, message: ""}]
                injection: %s
                """.formatted(
                                generation,
                                reason,
                                injects
                                        ? "{cluster: shop.web, port: 8080, storeUrl: 'redis://web-store.shop.svc:6379'}"
                                        : "null"),
                SessionClusterStatus.class));
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
