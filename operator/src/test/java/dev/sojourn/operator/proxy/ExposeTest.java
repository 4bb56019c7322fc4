package dev.sojourn.operator.proxy;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.golden.Golden;
import io.fabric8.kubernetes.client.utils.Serialization;
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
        GOLDEN.check(name, input -> {
            var cluster = Serialization.unmarshal(input, SessionCluster.class);
            var proxy = cluster.getSpec().proxy();
            if (proxy.networkPolicy() != null) {
                return yaml(new ProxyNetworkPolicy().render(cluster));
            }
            return yaml(
                    requireNonNull(proxy.expose()).ingress() == null
                            ? new ProxyHttpRoute().render(cluster)
                            : new ProxyIngress().render(cluster));
        });
    }

    /** Maps in order: theirs is another one in each JVM. */
    private static String yaml(Object object) {
        try {
            return new YAMLMapper()
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}
