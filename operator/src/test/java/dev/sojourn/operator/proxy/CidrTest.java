package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CidrTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/8",
                "0.0.0.0/0",
                "192.0.2.1/32",
                "fd00::/8",
                "::1/128",
                "0:0:00:10::/64",
                "::ffff:10.0.0.0/104"
            })
    void ranges(String text) {
        assertThat(Cidr.isOne(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0",
                "10.0.0.0/33",
                "10.0.0/8",
                "256.0.0.0/8",
                "010.0.0.0/8",
                "10.0.00.0/24",
                "10.0.0.001/32",
                "::ffff:010.0.0.1/128",
                "fd00::/129",
                "fd00:/8",
                "dead.beef/8",
                "/8",
                "10.0.0.0/"
            })
    void others(String text) {
        assertThat(Cidr.isOne(text)).isFalse();
    }
}
