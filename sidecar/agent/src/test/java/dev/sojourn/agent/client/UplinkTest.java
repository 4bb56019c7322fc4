package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.sojourn.agent.core.FullHeap;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

/** Lines that break, and those that come after them. */
class UplinkTest {
    private static final IOException BROKEN = new IOException("broken");

    @Test
    void whoWaitsIsToldOfABreakOnceThereIsMemoryForIt() throws Exception {
        FullHeap.runs(Broken.class);
    }

    static final class Broken {
        public static void main(String[] args) throws Exception {
            onServer((server, address) -> {
                // Who reads the replies has failed with it.
                Uplink uplink = uplink(address, work -> new Thread(() -> {}));
                Waiting once = new Waiting(uplink.connected(false));
                once.line.fail(BROKEN);
                assertEquals(1, once.told);
                Waiting waiting = new Waiting(uplink.connected(false));
                FullHeap.fails(() -> waiting.line.fail(BROKEN));
                assertEquals(0, waiting.told, "there was memory: this test shows nothing");
                uplink.connected(false);
                assertEquals(1, waiting.told);
            });
        }
    }

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

    private static final class Waiting implements Call.Then {
        final Line line;
        int told;

        Waiting(Line line) {
            this.line = line;
            RequestEncoder request = new RequestEncoder();
            long tag = line.nextTag();
            Asks.ping(request.tag(tag));
            line.send(tag, new Call(this), request);
        }

        @Override
        public void answered(Reply reply) {}

        @Override
        public void failed(IOException why) {
            told++;
        }

        @Override
        public void untold() {}
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
