package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.golden.Golden;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code envoy/in/*.yaml} are SessionClusters, {@code envoy/out/*.yaml} what Envoy is told. */
class EnvoyBootstrapTest {

    private static final Golden GOLDEN = Golden.of("envoy", ".yaml");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        GOLDEN.check(
                name,
                sessionCluster -> EnvoyBootstrap.render(Serialization.unmarshal(sessionCluster, SessionCluster.class)));
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}
