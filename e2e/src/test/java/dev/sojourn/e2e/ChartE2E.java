package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@DisplayName("The chart, once installed, says itself whether it works")
class ChartE2E {

    @Test
    @DisplayName("helm test")
    void helmTest() {
        assertThat(Shell.run("helm", "test", "sojourn", "--namespace", Cluster.SYSTEM, "--timeout=2m"))
                .contains("Succeeded");
    }
}
