package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeftStoreTest {

    private static final OwnerReference OF_BEFORE = new OwnerReferenceBuilder()
            .withKind("SessionCluster")
            .withName("web")
            .withUid("of before")
            .build();

    @Test
    void oneThatIsAboutToGoIsNotLeft() {
        assertThat(LeftStore.isLeft(Seen.store())).isTrue();
        assertThat(LeftStore.isLeft(Seen.store(OF_BEFORE)))
                .as("the garbage collector takes it")
                .isFalse();
        var going = Seen.store();
        going.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        assertThat(LeftStore.isLeft(going)).isFalse();
    }

    /** A SessionCluster pet whose workload is a StatefulSet pet-store: its user would be told to delete it. */
    @Test
    void theWorkloadIsNotTheStore() {
        var pet = new SessionCluster();
        pet.setMetadata(new ObjectMetaBuilder().withName("pet").build());
        var workload = new StatefulSetBuilder()
                .withNewMetadata()
                .withName("pet-store")
                .endMetadata()
                .build();
        assertThat(LeftStore.isStoreOf(pet, workload)).isFalse();
        workload.getMetadata().setLabels(Map.of("app", "pet"));
        assertThat(LeftStore.isStoreOf(pet, workload)).isFalse();
        workload.getMetadata().setLabels(Names.labels(pet, "store"));
        assertThat(LeftStore.isStoreOf(pet, workload)).isTrue();
    }
}
