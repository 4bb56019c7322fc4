package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who looks for the sidecar in a JVM with no memory outside the heap, or with just enough: each look in vain is a collection of the whole heap. */
class NoMemoryTest {
    private Path folder = Path.of("");
    private FakeServer server = FakeServer.NONE;

    @BeforeEach
    void start() throws Exception {
        folder = Files.createTempDirectory("sj");
        server = new FakeServer(folder.resolve("s"), "*-1\r\n");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        Files.delete(folder);
    }

    @Test
    void theClientLooksEveryTenSeconds() throws Exception {
        runs(Client.class, "1k");
        assertEquals(3, server.connections(), "one of a request, and two looks");
    }

    @Test
    void whoListensLooksEveryTenSeconds() throws Exception {
        runs(Listener.class, "1k");
        assertEquals(2, server.connections());
    }

    /** Where the application has all the rest, the sidecar would be away for ever once it was restarted. */
    @Test
    void theNextConnectionHasTheMemoryOfTheOneThatBroke() throws Exception {
        runs(Restarted.class, "150k");
    }

    @Test
    void andThatOfTheOneThatWasNotGreetedInTime() throws Exception {
        server.answer = "+PONG\r\n";
        server.greeting = () -> server.connections() == 1 ? "" : "*0\r\n";
        runs(NotGreeted.class, "120k");
    }

    private void runs(Class<?> main, String memory) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=" + memory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        server.path.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, jvm.waitFor(), said);
    }

    interface Look {
        void at(long now);
    }

    private static void everySecond(int seconds, Look look) {
        long began = System.nanoTime();
        for (int second = 0; second <= seconds; second++) {
            look.at(began + TimeUnit.SECONDS.toNanos(second));
        }
    }

    static final class Client {
        public static void main(String[] args) {
            SidecarClient client = new SidecarClient(Address.unix(args[0]), 0, 500);
            assertThrows(Refusal.class, () -> client.open("s", 0, false));
            everySecond(10, client::look);
        }
    }

    static final class Restarted {
        public static void main(String[] args) throws Exception {
            try (FakeServer server = new FakeServer(Path.of(args[0] + "own"), "*-1\r\n")) {
                SidecarClient client = new SidecarClient(Address.unix(server.path.toString()), 0, 60_000);
                for (int connections = 1; connections <= 3; connections++) {
                    assertNull(client.open("s", 0, false));
                    assertEquals(connections, server.connections());
                    server.hangsUp = true;
                }
            }
        }
    }

    static final class NotGreeted {
        public static void main(String[] args) {
            SidecarClient client = new SidecarClient(Address.unix(args[0]), 0, 60_000);
            Thread watch = new Thread(() -> watch(client));
            watch.setDaemon(true);
            watch.start();
            assertThrows(Refusal.class, () -> client.open("s", 0, false));
            // Who watches may still have it in hand, where nothing gives it time.
            everySecond(20, client::look);
            assertFalse(client.isAway());
        }

        /** By a clock that stands still once it is away: the next one has all the time that it needs, whatever else the machine does. */
        private static void watch(SidecarClient client) {
            long now = System.nanoTime();
            while (true) {
                client.watch(now);
                now += client.isAway() ? 0 : TimeUnit.MILLISECONDS.toNanos(200);
                Thread.yield();
            }
        }
    }

    static final class Listener {
        public static void main(String[] args) {
            everySecond(
                    10,
                    new Announcements(Address.unix(args[0]), () -> {}, session -> {}, session -> {}, () -> {})::run);
        }
    }
}
