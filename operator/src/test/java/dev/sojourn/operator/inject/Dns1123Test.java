package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Dns1123Test {

    @ParameterizedTest
    @ValueSource(strings = {"a", "0", "shop", "team-a", "1-2"})
    void aNamespaceIsCalledSo(String name) {
        assertThat(Dns1123.isLabel(name)).isTrue();
        assertThat(Dns1123.isSubdomain(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-a", "a-", "A", "a_b", "a/b", "a?b", "a b", "a\n", "\na", "..", "a..b", ".a", "a.", "ä"})
    void nothingIsCalledSo(String name) {
        assertThat(Dns1123.isLabel(name)).isFalse();
        assertThat(Dns1123.isSubdomain(name)).isFalse();
    }

    @Test
    void otherObjectsHaveLongerNames() {
        assertThat(Dns1123.isLabel("a".repeat(63))).isTrue();
        assertThat(Dns1123.isLabel("a".repeat(64))).isFalse();
        assertThat(Dns1123.isLabel("a.b")).isFalse();
        assertThat(Dns1123.isSubdomain("web-5d4f.v1.example.org")).isTrue();
        assertThat(Dns1123.isSubdomain("a".repeat(253))).isTrue();
        assertThat(Dns1123.isSubdomain("a".repeat(254))).isFalse();
    }
}
