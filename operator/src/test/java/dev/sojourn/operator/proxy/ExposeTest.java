package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.golden.Golden;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code expose/in/*.yaml} are SessionClusters, {@code expose/out/*.yaml} what leads to their proxy, or closes it. */
class ExposeTest {

    private static final Golden GOLDEN = Golden.of("expose", ".yaml");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        GOLDEN.check(name, Golden.yaml(rendered(cluster)));
    }

    private static Object rendered(SessionCluster cluster) {
        var proxy = cluster.getSpec().proxy();
        if (proxy.networkPolicy() != null) {
            return new ProxyNetworkPolicy().render(cluster);
        }
        if (proxy.expose() == null) {
            return new ProxyService().render(cluster);
        }
        return proxy.expose().ingress() == null
                ? new ProxyHttpRoute().render(cluster)
                : new ProxyIngress().render(cluster);
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}
