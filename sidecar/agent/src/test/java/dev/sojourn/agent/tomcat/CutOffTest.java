package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.OtherJvm;
import dev.sojourn.agent.core.Wordless;
import dev.sojourn.agent.session.Requests;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses that cannot be written: nobody waits for them for ever, and those of later ones leave. */
class CutOffTest {
    private static final int LARGE = 60_000;
    private static final int SMALL = 100;

    @Test
    void noMemoryOutsideTheHeapForWhatWasHeld() throws Exception {
        inLittleMemory(Held.class);
    }

    @Test
    void noMemoryOutsideTheHeapForWhatASlowClientHasNotRead() throws Exception {
        inLittleMemory(SlowlyRead.class);
    }

    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void noThreadForSlowClients() throws Exception {
        AtomicBoolean none = new AtomicBoolean(true);
        Leftovers leftovers = new Leftovers(work -> {
            if (none.get()) {
                throw new Wordless();
            }
            Thread thread = new Thread(work, "slow clients");
            thread.setDaemon(true);
            return thread;
        });
        try (Response first = new Response()) {
            leftovers.add(first.server, first.hold, ByteBuffer.allocate(SMALL));
            first.isCutOff();
        }
        none.set(false);
        try (Response next = new Response()) {
            leftovers.add(next.server, next.hold, ByteBuffer.allocate(SMALL));
            next.hasLeft();
        }
    }

    private static void inLittleMemory(Class<?> main) throws Exception {
        OtherJvm.runs(main, "-XX:MaxDirectMemorySize=16k");
    }

    static final class Held {
        public static void main(String[] args) throws Exception {
            try (Response response = new Response()) {
                response.hold.take(ByteBuffer.allocate(LARGE));
                response.hold.end();
                response.isCutOff();
            }
            try (Response next = new Response()) {
                next.hold.take(ByteBuffer.allocate(SMALL));
                next.hold.end();
                next.hasLeft();
            }
        }
    }

    static final class SlowlyRead {
        public static void main(String[] args) throws Exception {
            Leftovers leftovers;
            try (Response response = new Response()) {
                leftovers = response.holds.leftovers();
                leftovers.add(response.server, response.hold, ByteBuffer.allocate(LARGE));
                response.isCutOff();
            }
            try (Response next = new Response()) {
                leftovers.add(next.server, next.hold, ByteBuffer.allocate(SMALL));
                next.hasLeft();
            }
        }
    }

    /** On a connection of its own, on which the container waits for the next request. */
    private static final class Response implements AutoCloseable {
        final Requests requests = new Requests();
        final Holds holds = new Holds(requests);
        final SocketChannel server;
        final Hold hold;
        private final Selector poller = Selector.open();
        private final Socket client;

        Response() throws IOException {
            try (var listener = ServerSocketChannel.open()) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                client = new Socket();
                client.connect(listener.getLocalAddress());
                server = listener.accept();
            }
            server.configureBlocking(false);
            server.register(poller, SelectionKey.OP_READ);
            hold = new Hold(holds, new Object(), server);
            hold.begin();
        }

        void isCutOff() throws IOException {
            assertEquals(0, read());
            assertFalse(requests.any());
            assertEquals(1, poller.select(), "the container is not told");
        }

        void hasLeft() throws IOException {
            hold.awaitWritten();
            assertFalse(requests.any());
            server.shutdownOutput();
            assertEquals(SMALL, read());
            assertTrue(server.isOpen());
        }

        private int read() throws IOException {
            hold.awaitWritten();
            InputStream in = client.getInputStream();
            byte[] bytes = new byte[SMALL];
            int all = 0;
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                all += read;
            }
            return all;
        }

        @Override
        public void close() throws IOException {
            poller.close();
            server.close();
            client.close();
        }
    }
}
