package dev.sojourn.operator.proxy;

import dev.sojourn.operator.golden.Golden;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code envoy/in/*.yaml} are SessionClusters, {@code envoy/out} and {@code envoy/routes} what Envoy is told. */
class EnvoyBootstrapTest {

    private static final Golden GOLDEN = Golden.of("envoy", ".yaml");
    private static final Golden ROUTES = GOLDEN.to("routes");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        GOLDEN.check(name, EnvoyBootstrap.render(cluster));
        ROUTES.check(name, EnvoyRoutes.render(cluster.getSpec()));
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
        ROUTES.checkNoOrphans();
    }
}
