package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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
}
