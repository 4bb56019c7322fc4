package dev.sojourn.operator.store;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.golden.Golden;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
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
        GOLDEN.check(name, input -> {
            var cluster = Serialization.unmarshal(input, SessionCluster.class);
            var managed = requireNonNull(cluster.getSpec().store().managed());
            var pod = new StorePod(cluster, managed, "valkey/valkey:test", "IfNotPresent").spec();
            return yaml(pod) + "---\n" + ValkeyConf.render(managed);
        });
    }

    /** Maps in order: theirs is another one in each JVM. */
    private static String yaml(PodSpec pod) {
        try {
            return new YAMLMapper()
                    .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                    .writeValueAsString(pod);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }
}
