package dev.sojourn.operator.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.golden.Golden;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code store/in/*.yaml} are SessionClusters, {@code store/out/*.yaml} their store's pods and its server's configuration. */
class StorePodTest {

    private static final Golden GOLDEN = Golden.of("store", ".yaml");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        var managed = requireNonNull(cluster.getSpec().store().managed());
        var pod = new StorePod(cluster, managed, "valkey/valkey:test", "IfNotPresent", false).spec();
        GOLDEN.check(name, Golden.yaml(pod) + "---\n" + ValkeyConf.render(managed));
    }

    @Test
    void whereTheClusterAssignsUsersNoneIsNamed() {
        var cluster = GOLDEN.sessionCluster(names().get(0));
        var managed = requireNonNull(cluster.getSpec().store().managed());
        var pod = new StorePod(cluster, managed, "valkey/valkey:test", "IfNotPresent", true).spec();
        assertThat(Golden.yaml(pod))
                .contains("runAsNonRoot: true", "readOnlyRootFilesystem: true")
                .doesNotContain("runAsUser", "runAsGroup", "fsGroup");
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}
