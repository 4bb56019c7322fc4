package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyContainersTest {

    @ParameterizedTest
    @CsvSource({"10.96.0.1, 0.0.0.0:15901", "fd00:10:96::1, [::]:15901"})
    void theEdgeIsReachedByTheFamilyThatComesFirst(String apiServer, String listens) {
        var config = InPod.with(Map.of("KUBERNETES_SERVICE_HOST", apiServer));
        assertThat(ProxyContainers.edge(BehindEnvoy.with("{}"), config).getEnv())
                .filteredOn(env -> env.getName().equals("SOJOURN_HTTP"))
                .singleElement()
                .returns(listens, env -> env.getValue());
    }
}
