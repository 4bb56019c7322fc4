package dev.sojourn.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ServerTest {
    @Test
    void cpuOfACommandWithSpacesAndParentheses() {
        String stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 120 30 0 0 20 0";
        assertEquals(1_500, Server.cpuMillis(stat));
    }
}
