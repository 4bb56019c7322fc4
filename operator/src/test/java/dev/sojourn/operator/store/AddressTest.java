package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

    @Test
    void anAddressOfIpv6IsInBrackets() {
        assertThat(new Address("fd00::7", 6379)).hasToString("[fd00::7]:6379");
        assertThat(new Address("10.0.0.7", 6379)).hasToString("10.0.0.7:6379");
        assertThat(new Address("shop-store-0.shop-store", 6379)).hasToString("shop-store-0.shop-store:6379");
    }

    @Test
    void serversWriteNoBrackets() {
        assertThat(Address.ofServer("fd00::7:6379")).isEqualTo(new Address("fd00::7", 6379));
        assertThat(Address.ofServer("10.0.0.7:6379")).isEqualTo(new Address("10.0.0.7", 6379));
    }

    @Test
    void somebodyWritesThemAsInUrls() {
        assertThat(Address.parse("[fd00::7]:6379")).hasValue(new Address("fd00::7", 6379));
        assertThat(Address.parse("shop-store_0.shop:65535")).hasValue(new Address("shop-store_0.shop", 65_535));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"store", "store:", ":6379", "a:0", "a:65536", "a:-1", "a:port", "[::1", "fd00::7:6379", "a b:1"})
    void whatIsNoneIsNone(String text) {
        assertThat(Address.parse(text)).isEmpty();
    }
}
