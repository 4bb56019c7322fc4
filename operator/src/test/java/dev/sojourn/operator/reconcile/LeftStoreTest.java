package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
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
}
