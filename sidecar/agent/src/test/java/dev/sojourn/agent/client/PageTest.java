package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of claims, as it is written by the test. */
class PageTest {
    private static final int SLOTS = PageFile.SLOTS;
    private static final long TICKET = 3 * SLOTS + 5;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void itSaysTheNewestVersionOfTheTicketsSession() throws IOException {
        PageFile file = new PageFile(folder.resolve("page"));
        Page page = Page.map(file.path.toFile(), System.nanoTime());
        assertFalse(page.says(TICKET, 7), "there is nothing");
        file.slot(TICKET, 7);
        assertTrue(page.says(TICKET, 7));
        assertFalse(page.says(TICKET, 6));
        assertFalse(page.says(TICKET + SLOTS, 7), "that is another session's, before or after");
        file.slot(TICKET, 0);
        assertFalse(page.says(TICKET, 7), "the sidecar is at work on it");
        file.slot(TICKET + SLOTS, 7);
        assertFalse(page.says(TICKET, 7));
    }

    @Test
    void nothingCountsOnceTheTrustIsOverByEitherClock() throws IOException {
        PageFile file = new PageFile(folder.resolve("page"));
        Page page = Page.map(file.path.toFile(), System.nanoTime());
        file.slot(TICKET, 7);
        file.put(16, System.nanoTime());
        assertFalse(page.says(TICKET, 7));
        file.trust(60_000);
        assertTrue(page.says(TICKET, 7));
        file.put(24, System.currentTimeMillis());
        assertFalse(page.says(TICKET, 7));
        file.trust(60_000);
        file.put(16, 0);
        assertFalse(page.says(TICKET, 7));
    }

    @Test
    void whatIsNoSuchPageIsRefused() throws IOException {
        PageFile file = new PageFile(folder.resolve("page"));
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime() - 2_000_000_000L));
        file.put(8, SLOTS + 1);
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime()));
        file.put(8, SLOTS * 2);
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime()));
        file.put(8, SLOTS);
        file.put(0, 1);
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime()));
        Files.write(file.path, new byte[10]);
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime()));
    }
}
