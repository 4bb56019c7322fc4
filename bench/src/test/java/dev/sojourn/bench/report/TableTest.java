package dev.sojourn.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void columnsLineUp() {
        assertEquals(
                """
                | variant | ms |
                |---------|---:|
                | a       |  1 |
                | longer  | 10 |
                """,
                new Table("variant", "ms").row("a", "1").row("longer", "10").toString());
    }

    @Test
    void aRowOfAnotherLengthIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Table("a", "b").row("1"));
    }
}
