package dev.sojourn.bench.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class ProcessesTest {
    private final Processes processes = new Processes();

    @Test
    void startsNoneOnceAllAreStopped() throws IOException {
        // Reads what nobody writes.
        Process process = processes.start(new ProcessBuilder("cat"));
        assertTrue(process.isAlive());
        assertFalse(processes.isStopping());
        processes.stopAll();
        assertFalse(process.isAlive());
        assertTrue(processes.isStopping());
        assertThrows(IOException.class, () -> processes.start(new ProcessBuilder("cat")));
    }
}
