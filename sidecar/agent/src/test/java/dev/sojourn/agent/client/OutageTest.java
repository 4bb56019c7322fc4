package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OutageTest {
    @Test
    void whatIsSaidNamesTheCause() {
        String said = Outage.notice("/run/s", new Connection.NoMemory(new OutOfMemoryError()));
        assertTrue(said.contains("no memory outside the heap") && said.contains("-XX:MaxDirectMemorySize"), said);
    }
}
