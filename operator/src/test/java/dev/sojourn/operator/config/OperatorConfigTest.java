package dev.sojourn.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorConfigTest {

    @Test
    void itsOwnAddressTellsWhichFamilyComesFirst() {
        assertThat(ipFamily(Map.of("POD_IP", "10.244.1.7"))).isEqualTo(IpFamily.IPv4);
        assertThat(ipFamily(Map.of("POD_IP", "fd00:10:244:1::7"))).isEqualTo(IpFamily.IPv6);
    }

    @Test
    void withoutOneItIsIpv4AsEver() {
        assertThat(ipFamily(Map.of())).isEqualTo(IpFamily.IPv4);
    }

    @ParameterizedTest
    @CsvSource({"kube-system, false", "sojourn, false", "kube-node-lease, false", "vault, false", "shop, true"})
    void whereTheWebhookDoesNotLookNothingIsInjected(String namespace, boolean injects) {
        var config =
                InPod.with(Map.of("POD_NAMESPACE", "sojourn", "SOJOURN_EXCLUDED_NAMESPACES", "kube-node-lease,vault"));
        assertThat(config.injectsIn(namespace)).isEqualTo(injects);
    }

    private static IpFamily ipFamily(Map<String, String> environment) {
        return InPod.with(environment).ipFamily();
    }
}
