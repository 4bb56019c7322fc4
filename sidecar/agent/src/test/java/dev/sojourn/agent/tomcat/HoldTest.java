package dev.sojourn.agent.tomcat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sojourn.agent.core.FullHeap;
import dev.sojourn.agent.session.Requests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bytes that wait, on a real socket, as the connector would drive it. */
class HoldTest {
    private final Requests requests = new Requests();
    private final Holds holds = new Holds(requests);
    private final Object wrapper = new Object();

    @SuppressWarnings("NullAway.Init")
    private SocketChannel server;

    @SuppressWarnings("NullAway.Init")
    private SocketChannel client;

    @BeforeEach
    void connect() throws IOException {
        try (var listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = SocketChannel.open();
            client.setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            client.connect(listener.getLocalAddress());
            server = listener.accept();
            server.setOption(StandardSocketOptions.SO_SNDBUF, 4_096);
            // As Tomcat's.
            server.configureBlocking(false);
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        client.close();
        server.close();
    }

    @Test
    void bytesLeaveWhenTheCommitIsThere() throws Exception {
        Hold hold = begun();
        write("one");
        write("two");
        assertTrue(requests.any(), "a response that is held back is a request in flight");
        client.configureBlocking(false);
        assertEquals(0, client.read(ByteBuffer.allocate(10)));
        client.configureBlocking(true);
        hold.end();
        assertEquals("onetwo", read(6));
        assertFalse(requests.any());
        assertEquals("three".length(), left("three"), "what comes later goes its own way");
    }

    @Test
    void anEndBeforeAnyByteHoldsNothingBack() {
        begun().end();
        assertEquals(1, left("x"));
        assertFalse(requests.any());
    }

    @Test
    void theNextResponseAndTheCloseWaitForTheOneBefore() throws Exception {
        Hold first = begun();
        write("one");
        FutureTask<Hold> next = waiting(this::begun);
        FutureTask<Boolean> close = waiting(() -> {
            holds.writing(wrapper, null);
            return true;
        });
        assertFalse(next.isDone() || close.isDone());
        first.end();
        Hold second = next.get();
        write("two");
        second.end();
        close.get();
        assertEquals("onetwo", read(6));
        assertFalse(requests.any());
    }

    @Test
    void aClientThatReadsSlowlyGetsAllOfIt() throws Exception {
        String body = "0123456789".repeat(6_000);
        Hold hold = begun();
        write(body);
        hold.end();
        assertTrue(requests.any(), "it fitted into the socket at once: this test shows nothing");
        assertEquals(body, read(body.length()));
        hold.awaitWritten();
        assertFalse(requests.any());
    }

    /** It comes to those that are left when the one before has just gone, and nobody has looked for more to write since. */
    @Test
    void soDoesTheNextResponseToTheSameClient() throws Exception {
        String body = "0123456789".repeat(6_000);
        Hold second = new Hold(holds, new Object(), server);
        second.begin();
        Hold first = new Hold(
                holds, new Followed(() -> holds.leftovers().add(server, second, ByteBuffer.wrap(bytes(body)))), server);
        first.begin();
        first.take(ByteBuffer.wrap(bytes(body)));
        FutureTask<String> reading = new FutureTask<>(() -> read(2 * body.length()));
        first.end();
        assertTrue(requests.any(), "it fitted into the socket at once: this test shows nothing");
        new Thread(reading, "client").start();
        second.awaitWritten();
        server.close();
        assertEquals(body + body, reading.get());
    }

    /** A connection on which something happens when a response has left that had waited for its client. */
    private static final class Followed {
        private final AtomicReference<Runnable> next;

        Followed(Runnable next) {
            this.next = new AtomicReference<>(next);
        }

        @Override
        public int hashCode() {
            if (Thread.currentThread().getName().equals("sojourn-slow-clients")) {
                next.getAndSet(() -> {}).run();
            }
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }
    }

    @Test
    void moreThanIsHeldWaitsWithItsThread() throws Exception {
        String most = "x".repeat(64 << 10);
        Hold hold = begun();
        write(most);
        FutureTask<Integer> more = waiting(() -> left("y"));
        assertFalse(more.isDone());
        hold.end();
        assertEquals(most, read(most.length()));
        assertEquals(1, more.get());
    }

    @Test
    void aClientThatHasGoneEndsIt() throws Exception {
        Hold hold = begun();
        write("one");
        server.close();
        hold.end();
        hold.awaitWritten();
        assertFalse(requests.any());
    }

    /** Tomcat's poller does, without a word to anybody: no selector says so either. */
    @Test
    void oneThatTheContainerClosesWhileItsClientReadsSlowlyEnds() throws Exception {
        Hold hold = begun();
        write("0123456789".repeat(6_000));
        hold.end();
        assertTrue(requests.any(), "it fitted into the socket at once: this test shows nothing");
        // More of it leaves: the rest is waited for by now.
        read(20_000);
        server.close();
        hold.awaitWritten();
        assertFalse(requests.any());
    }

    @Test
    void whoWaitsForOneThatCannotEndInOrderGoesOn() throws Exception {
        Object fails = new Object() {
            @Override
            public int hashCode() {
                if (isIn(Thread.currentThread(), "written")) {
                    throw new InternalError("as if there were no memory");
                }
                return 1;
            }

            @Override
            public boolean equals(Object other) {
                return this == other;
            }
        };
        Hold hold = new Hold(holds, fails, server);
        hold.begin();
        FutureTask<Boolean> waits = waiting(() -> {
            hold.awaitWritten();
            return true;
        });
        assertThrows(InternalError.class, hold::end);
        assertTrue(waits.get(20, TimeUnit.SECONDS));
        assertFalse(requests.any());
        Thread next = new Thread(new Hold(holds, fails, server)::begin);
        next.setDaemon(true);
        next.start();
        next.join(20_000);
        assertFalse(next.isAlive(), "it finds the one before in its way, again and again");
    }

    /** Each drain of this JVM would wait for it. */
    @Test
    void oneThatThereIsNoMemoryToBeginIsNotInFlight() {
        Object fails = new Object() {
            @Override
            public int hashCode() {
                throw new InternalError("as if there were no memory");
            }
        };
        assertThrows(InternalError.class, new Hold(holds, fails, server)::begin);
        assertFalse(requests.any());
    }

    /** What is not held goes to the container, which writes it at once: not ahead of what is. */
    @Test
    void whatThereIsNoMemoryToHoldWaitsWithItsThread() throws Exception {
        FullHeap.runs(NoRoom.class);
    }

    static final class NoRoom {
        private static volatile boolean full;

        public static void main(String[] args) throws Exception {
            HoldTest test = new HoldTest();
            test.connect();
            full = true;
            Hold once = test.begun();
            settled(begun(() -> write(test, ByteBuffer.wrap(bytes("one")))));
            settled(begun(() -> write(test, ByteBuffer.wrap(bytes("two")))));
            once.end();
            full = false;
            Hold hold = test.begun();
            test.write("first");
            ByteBuffer second = ByteBuffer.wrap(bytes("x".repeat(8_000)));
            Thread exec = begun(() -> write(test, second));
            FullHeap.fill();
            full = true;
            Thread.State state = settled(exec);
            FullHeap.empty();
            assertEquals(Thread.State.WAITING, state);
            hold.end();
            exec.join();
            assertEquals(8_000, second.remaining(), "there was memory: this test shows nothing");
            assertEquals("onetwofirst", test.read(11));
            test.disconnect();
        }

        private static Thread begun(Runnable work) {
            Thread exec = new Thread(work);
            exec.start();
            return exec;
        }

        private static void write(HoldTest test, ByteBuffer bytes) {
            while (!full) {
                Thread.onSpinWait();
            }
            test.holds.writing(test.wrapper, bytes);
        }

        private static Thread.State settled(Thread exec) {
            Thread.State state = exec.getState();
            while (state != Thread.State.WAITING && state != Thread.State.TERMINATED) {
                state = exec.getState();
            }
            return state;
        }
    }

    private Hold begun() {
        Hold hold = new Hold(holds, wrapper, server);
        hold.begin();
        return hold;
    }

    /** On a thread of its own, which by now waits for a response to be written: before it does nothing is shown. */
    private static <T> FutureTask<T> waiting(Callable<T> what) throws InterruptedException {
        FutureTask<T> task = new FutureTask<>(what);
        Thread thread = new Thread(task, "exec");
        thread.setDaemon(true);
        thread.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (thread.getState() != Thread.State.WAITING || !isIn(thread, "awaitWritten")) {
            assertNotEquals(Thread.State.TERMINATED, thread.getState(), "it did not wait");
            assertTrue(System.nanoTime() < deadline, "it does not wait: " + thread.getState());
            Thread.sleep(1);
        }
        return task;
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals(method));
    }

    private void write(String text) {
        assertEquals(0, left(text), "not taken");
    }

    /** As the connector's write does it: what is left then it writes itself. */
    private int left(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(bytes(text));
        holds.writing(wrapper, bytes);
        return bytes.remaining();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private String read(int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (bytes.hasRemaining() && client.read(bytes) >= 0) {
            // More.
        }
        return new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII);
    }
}
