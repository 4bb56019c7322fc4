package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OneLineTest {

    @Test
    void whatOthersWriteBeginsNoLineAndTellsNoTerminalWhatToDo() {
        assertThat(OneLine.of("web\nWARN\r\u0085\u2028a\u001b[2Jb\u202ec")).isEqualTo("web?WARN???a?[2Jb?c");
        assertThat(OneLine.of("web-1- Käse ✓")).isEqualTo("web-1- Käse ✓");
    }

    @Test
    void itEnds() {
        assertThat(OneLine.of("a".repeat(1024))).hasSize(1024).doesNotContain(".");
        assertThat(OneLine.of("a".repeat(1025))).hasSize(1024).endsWith("a...");
    }

    @Test
    void anErrorKeepsItsStack() {
        var error = new IllegalArgumentException("no amount: 1\nWARN", new IllegalStateException("\nWARN"));
        var shown = OneLine.of(error);
        assertThat(shown)
                .hasMessage("java.lang.IllegalArgumentException: no amount: 1?WARN")
                .hasNoCause();
        assertThat(shown.getStackTrace()).isEqualTo(error.getStackTrace());
    }
}
