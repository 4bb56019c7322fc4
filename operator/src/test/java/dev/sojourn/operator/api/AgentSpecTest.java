package dev.sojourn.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the agent's settings file says. */
class AgentSpecTest {

    @Test
    void nothingIsSaidOfDefaults() {
        assertThat(AgentSpec.defaults().settings()).isNull();
    }

    @Test
    void eachSettingIsALine() {
        var spec = new AgentSpec(
                AgentSpec.Concurrency.Exclusive,
                List.of("/shop", "/"),
                List.of("/admin"),
                List.of("/shop/poll/*", "*.sse"),
                List.of("com.sun.faces.*,javax.faces.*", "wicket*"),
                "com.shop.**;!*");
        assertThat(spec.settings()).isEqualTo("""
                        concurrency=exclusive
                        concurrency.contexts=/shop;/
                        contexts.exclude=/admin
                        passive.paths=/shop/poll/*;*.sse
                        group=com.sun.faces.*,javax.faces.*;wicket*
                        deserialization.filter=com.shop.**;!*
                        """);
    }
}
