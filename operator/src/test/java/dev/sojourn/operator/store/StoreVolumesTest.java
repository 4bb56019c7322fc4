package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.ManagedStoreSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which volumes are to grow, and which would have to shrink. */
class StoreVolumesTest {

    @Test
    void aLargerSizeIsGrowthWhateverTheUnits() {
        assertThat(growth("1Gi", "2Gi")).isPositive();
        assertThat(growth("1024Mi", "1Gi")).isZero();
        assertThat(growth("2Gi", "1536Mi")).isNegative();
    }

    @Test
    void withoutOneItIsTheDefault() {
        assertThat(StoreVolumes.growth(set("{name: data}", "1Gi"), ManagedStoreSpec.defaults()))
                .isZero();
        assertThat(StoreVolumes.growth(set("{name: data}", "2Gi"), ManagedStoreSpec.defaults()))
                .isNegative();
    }

    @Test
    void whatHasNoVolumesDoesNotGrow() {
        assertThat(StoreVolumes.growth(new StatefulSet(), ManagedStoreSpec.defaults()))
                .isZero();
        assertThat(StoreVolumes.growth(set("{name: other}", "2Gi"), ManagedStoreSpec.defaults()))
                .isZero();
    }

    @Test
    void theyDoNotGrowBeforeShardsThatAreToGoAreEmpty() {
        var there = set("{name: data}", "1Gi");
        var spec = Serialization.unmarshal(
                "---\ntopology: Sharded\nshards: 3\nreplicas: 1\nstorage: {size: 2Gi}", ManagedStoreSpec.class);
        there.getSpec().setReplicas(8);
        assertThat(StoreVolumes.canGrow(there, spec)).isFalse();
        there.getSpec().setReplicas(6);
        assertThat(StoreVolumes.canGrow(there, spec)).isTrue();
    }

    @Test
    void aSetThatIsThereIsNotToldOfAnotherSize() {
        var there = set("{name: data}", "2Gi");
        assertThat(StoreVolumes.handedOut(Optional.of(there), ManagedStoreSpec.defaults()))
                .isEqualTo(new Quantity("2Gi"));
        assertThat(StoreVolumes.handedOut(Optional.empty(), ManagedStoreSpec.defaults()))
                .isEqualTo(new Quantity("1Gi"));
    }

    private static int growth(String there, String wanted) {
        var spec = Serialization.unmarshal("---\nstorage: {size: %s}".formatted(wanted), ManagedStoreSpec.class);
        return StoreVolumes.growth(set("{name: data}", there), spec);
    }

    private static StatefulSet set(String claim, String size) {
        return Serialization.unmarshal("""
                ---
                spec:
                  volumeClaimTemplates:
                    - metadata: %s
                      spec: {resources: {requests: {storage: %s}}}
                """.formatted(claim, size), StatefulSet.class);
    }
}
