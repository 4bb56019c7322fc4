package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.sojourn.agent.core.FullHeap;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
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
        private static final List<SocketChannel> SERVED = new ArrayList<>();

        public static void main(String[] args) throws Exception {
            Path folder = Files.createTempDirectory("sj");
            Path path = folder.resolve("s");
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(path));
                Uplink uplink = uplink(Address.unix(path.toString()), work -> new Unread());
                Waiting once = new Waiting(connected(uplink, server));
                once.line.fail(BROKEN);
                assertEquals(1, once.told);
                Waiting waiting = new Waiting(connected(uplink, server));
                FullHeap.fails(() -> waiting.line.fail(BROKEN));
                assertEquals(0, waiting.told, "there was memory: this test shows nothing");
                connected(uplink, server);
                assertEquals(1, waiting.told);
            } finally {
                Files.delete(path);
                Files.delete(folder);
            }
        }

        /** Whoever served has ended by then, and what he served is kept: what another thread lets go of on a full heap would be room. */
        private static Line connected(Uplink uplink, ServerSocketChannel server) throws Exception {
            FutureTask<SocketChannel> greets = new FutureTask<>(() -> {
                SocketChannel channel = server.accept();
                channel.write(ByteBuffer.wrap("*0\r\n".getBytes(StandardCharsets.US_ASCII)));
                return channel;
            });
            Thread serves = new Thread(greets);
            serves.setDaemon(true);
            serves.start();
            Line line = uplink.connected(false);
            SERVED.add(greets.get());
            serves.join();
            return line;
        }

        /** Who reads the replies has failed with the line. */
        private static final class Unread extends Thread {
            @Override
            public synchronized void start() {}
        }
    }

    /** Else each request would fail with the Error, instead of going on with what this JVM holds. */
    @Test
    void aJvmThatCannotHaveAnotherThreadHasNoSidecar() throws Exception {
        onServer(address -> {
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
        void with(Address address) throws Exception;
    }

    private static void onServer(Work work) throws Exception {
        Path folder = Files.createTempDirectory("sj");
        try (FakeServer server = new FakeServer(folder.resolve("s"), "*-1\r\n")) {
            work.with(Address.unix(server.path.toString()));
        } finally {
            Files.delete(folder);
        }
    }

    private static Uplink uplink(Address address, ThreadFactory threads) {
        return new Uplink(address, 60_000, new Outage("of a test", 0), threads);
    }
}
