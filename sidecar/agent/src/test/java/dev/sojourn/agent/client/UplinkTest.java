package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

/** Lines that break, and those that come after them. */
class UplinkTest {
    /** Else each request would fail with the Error, instead of going on with what this JVM holds. */
    @Test
    void aJvmThatCannotHaveAnotherThreadHasNoSidecar() throws Exception {
        onServer((server, address) -> {
            Uplink uplink = uplink(address, work -> {
                throw new OutOfMemoryError("no thread, of a test");
            });
            Throwable failed = null;
            try {
                uplink.connected(false);
            } catch (IOException | Refusal | OutOfMemoryError e) {
                // Thrown on, the last of them would stop all tests.
                failed = e;
            }
            assertInstanceOf(Connection.NoMemory.class, failed);
        });
    }

    private interface Work {
        void with(FakeServer server, Address address) throws Exception;
    }

    private static void onServer(Work work) throws Exception {
        Path folder = Files.createTempDirectory("sj");
        try (FakeServer server = new FakeServer(folder.resolve("s"), "*-1\r\n")) {
            work.with(server, Address.unix(server.path.toString()));
        } finally {
            Files.delete(folder);
        }
    }

    private static Uplink uplink(Address address, ThreadFactory threads) {
        return new Uplink(address, 60_000, new Outage("of a test", 0), threads);
    }
}
