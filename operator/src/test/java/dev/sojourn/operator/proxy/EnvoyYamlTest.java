package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvoyYamlTest {

    /** As yaml-cpp and Envoy read them. */
    @ParameterizedTest
    @ValueSource(strings = {"0x1F", "0Xff", "-0x1", "017", "7", "+5", "true", "Yes", "n", "off", "null", "~", ""})
    void textThatLooksLikeSomethingElseIsQuoted(String text) {
        assertThat(EnvoyYaml.render(fields("exact", text))).isEqualTo("exact: \"" + text + "\"\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret", "0xcoffee", "1e3", "x-0x1f"})
    void otherTextIsNot(String text) {
        assertThat(EnvoyYaml.render(fields("exact", text))).isEqualTo("exact: " + text + "\n");
    }
}
