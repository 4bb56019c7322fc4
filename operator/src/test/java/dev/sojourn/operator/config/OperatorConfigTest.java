package dev.sojourn.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

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

    private static IpFamily ipFamily(Map<String, String> environment) {
        return InPod.with(environment).ipFamily();
    }
}
