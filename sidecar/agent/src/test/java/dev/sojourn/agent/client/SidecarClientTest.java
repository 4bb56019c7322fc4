package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The client against a socket that answers as it is told. */
class SidecarClientTest {
    private static final String NONE = "*-1\r\n";

    private Path folder = Path.of("");
    private FakeServer server = FakeServer.NONE;
    private SidecarClient client = new SidecarClient(Address.unix("/nowhere"), 0, 0);

    @BeforeEach
    void start() throws Exception {
        folder = Files.createTempDirectory("sj");
        server = new FakeServer(folder.resolve("s"), NONE);
        client = new SidecarClient(Address.unix(server.path.toString()), 1_000, 500);
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        Files.deleteIfExists(folder.resolve("s"));
        Files.delete(folder);
    }

    @Test
    void oneConnectionServesOneThread() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertNull(client.open("s", 0, false));
        }
        assertEquals(1, server.connections());
    }

    /** It stays for as long as the sidecar does, and applications are deployed anew. */
    @Test
    void theConnectionKeepsNoApplicationThatItWasMadeFor() throws Exception {
        WeakReference<ClassLoader> application = new WeakReference<>(served());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (application.get() != null && System.nanoTime() < deadline) {
            System.gc();
        }
        assertNull(application.get(), "the application's class loader is still in use");
        assertNull(client.open("s", 0, false));
        assertEquals(1, server.connections());
    }

    private ClassLoader served() throws Exception {
        Guest.Loader application = new Guest.Loader();
        application.run(client);
        return application;
    }

    @Test
    void aRestartBetweenRequestsIsNotNoticed() throws Exception {
        assertNull(client.open("s", 0, false));
        server.close();
        server = new FakeServer(server.path, NONE);
        assertNull(client.open("s", 0, false));
    }

    @Test
    void whatWasOverAfterAnAnswerWasLostMayHaveBeenEndedByThat() throws Exception {
        server.answer = ":0\r\n";
        assertFalse(client.end("s", false));
        server.hangsUp = true;
        assertTrue(client.end("s", false));
    }

    @Test
    void aRestartIsWaitedForAndOnlyOncePerOutage() throws Exception {
        server.close();
        long began = System.nanoTime();
        assertEquals(Refusal.Why.AWAY, assertThrows(Refusal.class, () -> client.open("s", 0, false)).why);
        long first = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
        assertTrue(first >= 900, "waited only " + first + " ms");
        Refusal second = assertThrows(Refusal.class, () -> client.open("s", 0, false));
        assertEquals("the sidecar is away", second.getMessage(), "it was tried again");
        assertTrue(client.isAway());

        server = new FakeServer(server.path, "+PONG\r\n");
        client.look();
        assertFalse(client.isAway());
    }

    /** Else whoever comes would be let in without his session, which the store has. */
    @Test
    void whoHasAnsweredOnceIsMissedForAsLongAsNobodyDoes() throws Exception {
        assertFalse(client.isMissed(false));
        assertNull(client.open("s", 0, false));
        server.close();
        for (int i = 0; i < 2; i++) {
            assertThrows(Refusal.class, () -> client.open("s", 0, false));
            client.look();
            assertTrue(client.isMissed(false));
            assertFalse(client.isMissed(true));
        }
    }

    @Test
    void aBrokenAnswerClosesThatConnectionOnly() throws Exception {
        server.answer = "!nonsense\r\n";
        assertThrows(Refusal.class, () -> client.open("s", 0, false));
        assertFalse(client.isAway());
        server.answer = NONE;
        assertNull(client.open("s", 0, false));
        assertEquals(2, server.connections());
    }

    @Test
    void aSidecarThatNeverAnswersIsGivenUp() throws Exception {
        server.answer = "";
        whileWatched(() -> {
            assertEquals(Refusal.Why.AWAY, assertThrows(Refusal.class, () -> client.open("s", 0, false)).why);
            assertTrue(client.isAway());
        });
    }

    @Test
    void whereOneWasNotGreetedTheOthersDoNotTryOneAfterTheOther() throws Exception {
        server.greeting = () -> "";
        ExecutorService requests = Executors.newFixedThreadPool(8);
        try {
            whileWatched(() -> {
                List<Future<Refusal>> refusals = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    refusals.add(requests.submit(() -> assertThrows(Refusal.class, () -> client.open("s", 0, false))));
                }
                for (Future<Refusal> refusal : refusals) {
                    assertEquals(Refusal.Why.AWAY, refusal.get().why);
                }
            });
        } finally {
            requests.shutdownNow();
        }
        assertEquals(1, server.connections());
        server.greeting = () -> "*0\r\n";
        server.answer = "+PONG\r\n";
        client.look();
        assertFalse(client.isAway());
    }

    private void whileWatched(Executable done) throws Exception {
        Thread watch = new Thread(() -> {
            while (!Thread.interrupted()) {
                client.watch();
                Thread.yield();
            }
        });
        watch.start();
        try {
            done.execute();
        } catch (Throwable e) {
            throw new AssertionError(e);
        } finally {
            watch.interrupt();
            watch.join();
        }
    }

    @Test
    void theApplicationsInterruptIsLeftToTheApplication() throws Exception {
        Thread.currentThread().interrupt();
        assertNull(client.open("s", 0, false));
        assertTrue(Thread.interrupted());
        assertEquals(1, server.connections());
    }

    @Test
    void refusalsKeepTheConnection() throws Exception {
        server.answer = "-GONE the session has ended\r\n";
        assertEquals(Refusal.Why.GONE, assertThrows(Refusal.class, () -> client.open("s", 0, false)).why);
        server.answer = "-UNAVAILABLE not now\r\n";
        assertTrue(assertThrows(Refusal.class, () -> client.open("s", 0, false)).later());
        assertEquals(1, server.connections());
    }

    @Test
    void onlyLoopbackIsAnAddress() {
        assertThrows(IllegalArgumentException.class, () -> Address.choose(null, "10.0.0.1:7000", null));
        assertEquals(
                "127.0.0.1:7000", Address.choose(null, "127.0.0.1:7000", null).toString());
        assertEquals("/s", Address.choose("/s", "127.0.0.1:7000", null).toString());
    }
}
