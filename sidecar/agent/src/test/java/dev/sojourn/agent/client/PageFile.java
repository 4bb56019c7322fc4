package dev.sojourn.agent.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The page of claims as the contract has it, written by a test. */
final class PageFile {
    static final int SLOTS = 8;

    final Path path;

    PageFile(Path path) throws IOException {
        this.path = path;
        Files.write(path, new byte[64 + SLOTS * 16]);
        put(
                0,
                ByteBuffer.wrap("SJPAGE01".getBytes(StandardCharsets.US_ASCII))
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getLong());
        put(8, SLOTS);
        trust(60_000);
    }

    void slot(long ticket, long version) throws IOException {
        int at = 64 + (int) (ticket % SLOTS) * 16;
        put(at, ticket);
        put(at + 8, version);
    }

    void trust(long millis) throws IOException {
        put(16, System.nanoTime() + millis * 1_000_000);
        put(24, System.currentTimeMillis() + millis);
    }

    void put(long at, long value) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            ByteBuffer bytes =
                    ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, value);
            channel.write(bytes, at);
        }
    }
}
