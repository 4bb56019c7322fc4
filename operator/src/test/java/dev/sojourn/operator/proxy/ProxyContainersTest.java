package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyContainersTest {

    @ParameterizedTest
    @CsvSource({"10.244.1.7, 0.0.0.0:15901", "fd00:10:244:1::7, [::]:15901"})
    void theEdgeIsReachedByTheFamilyThatComesFirst(String podIp, String listens) {
        var config = InPod.with(Map.of("POD_IP", podIp));
        assertThat(ProxyContainers.edge(BehindEnvoy.with("{}"), config).getEnv())
                .filteredOn(env -> env.getName().equals("SOJOURN_HTTP"))
                .singleElement()
                .returns(listens, env -> env.getValue());
    }
}
