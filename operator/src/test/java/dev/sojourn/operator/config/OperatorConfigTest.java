package dev.sojourn.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class OperatorConfigTest {

    @Test
    void theApiServersAddressTellsWhichFamilyComesFirst() {
        assertThat(ipFamily(Map.of("KUBERNETES_SERVICE_HOST", "10.96.0.1"))).isEqualTo(IpFamily.IPv4);
        assertThat(ipFamily(Map.of("KUBERNETES_SERVICE_HOST", "fd00:10:96::1"))).isEqualTo(IpFamily.IPv6);
    }

    @Test
    void whereItIsNoAddressItIsIpv4AsEver() {
        assertThat(ipFamily(Map.of("KUBERNETES_SERVICE_HOST", "api.example.com")))
                .isEqualTo(IpFamily.IPv4);
        assertThat(ipFamily(Map.of())).isEqualTo(IpFamily.IPv4);
    }

    private static IpFamily ipFamily(Map<String, String> environment) {
        return InPod.with(environment).ipFamily();
    }
}
