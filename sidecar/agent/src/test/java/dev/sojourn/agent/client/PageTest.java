package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The page of claims as the contract has it, written by the test. */
class PageTest {
    private static final int SLOTS = 8;
    private static final long TICKET = 3 * SLOTS + 5;

    private Path file = Path.of("");

    @BeforeEach
    void create() throws IOException {
        file = Files.createTempFile("page", "");
        Files.write(file, new byte[64 + SLOTS * 16]);
        put(
                0,
                ByteBuffer.wrap("SJPAGE01".getBytes(StandardCharsets.US_ASCII))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong());
        put(8, SLOTS);
        trust(60_000);
    }

    @AfterEach
    void delete() throws IOException {
        Files.delete(file);
    }

    @Test
    void itSaysTheNewestVersionOfTheTicketsSession() throws IOException {
        Page page = Page.map(file.toFile(), System.nanoTime());
        assertFalse(page.says(TICKET, 7), "there is nothing");
        slot(TICKET, 7);
        assertTrue(page.says(TICKET, 7));
        assertFalse(page.says(TICKET, 6));
        assertFalse(page.says(TICKET + SLOTS, 7), "that is another session's, before or after");
        slot(TICKET, 0);
        assertFalse(page.says(TICKET, 7), "the sidecar is at work on it");
        slot(TICKET + SLOTS, 7);
        assertFalse(page.says(TICKET, 7));
    }

    @Test
    void nothingCountsOnceTheTrustIsOverByEitherClock() throws IOException {
        Page page = Page.map(file.toFile(), System.nanoTime());
        slot(TICKET, 7);
        put(16, System.nanoTime());
        assertFalse(page.says(TICKET, 7));
        trust(60_000);
        assertTrue(page.says(TICKET, 7));
        put(24, System.currentTimeMillis());
        assertFalse(page.says(TICKET, 7));
        trust(60_000);
        put(16, 0);
        assertFalse(page.says(TICKET, 7));
    }

    @Test
    void whatIsNoSuchPageIsRefused() throws IOException {
        assertThrows(IOException.class, () -> Page.map(file.toFile(), System.nanoTime() - 2_000_000_000L));
        put(8, SLOTS + 1);
        assertThrows(IOException.class, () -> Page.map(file.toFile(), System.nanoTime()));
        put(8, SLOTS * 2);
        assertThrows(IOException.class, () -> Page.map(file.toFile(), System.nanoTime()));
        put(8, SLOTS);
        put(0, 1);
        assertThrows(IOException.class, () -> Page.map(file.toFile(), System.nanoTime()));
        Files.write(file, new byte[10]);
        assertThrows(IOException.class, () -> Page.map(file.toFile(), System.nanoTime()));
    }

    private void slot(long ticket, long version) throws IOException {
        int at = 64 + (int) (ticket % SLOTS) * 16;
        put(at, ticket);
        put(at + 8, version);
    }

    private void trust(long millis) throws IOException {
        put(16, System.nanoTime() + millis * 1_000_000);
        put(24, System.currentTimeMillis() + millis);
    }

    private void put(long at, long value) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
            channel.write(bytes, at);
        }
    }
}
