package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who looks for the sidecar in a JVM with no memory outside the heap: each look there is a collection of the whole heap. */
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
        looks(Client.class);
        assertEquals(3, server.connections(), "one of a request, and two looks");
    }

    @Test
    void whoListensLooksEveryTenSeconds() throws Exception {
        looks(Listener.class);
        assertEquals(2, server.connections());
    }

    private void looks(Class<?> main) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:MaxDirectMemorySize=1k",
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

    private static void everySecond(Look look) {
        long began = System.nanoTime();
        for (int second = 0; second <= 10; second++) {
            look.at(began + TimeUnit.SECONDS.toNanos(second));
        }
    }

    static final class Client {
        public static void main(String[] args) {
            SidecarClient client = new SidecarClient(Address.unix(args[0]), 0, 500);
            assertThrows(Refusal.class, () -> client.open("s", 0, false));
            everySecond(client::look);
        }
    }

    static final class Listener {
        public static void main(String[] args) {
            everySecond(
                    new Announcements(Address.unix(args[0]), () -> {}, session -> {}, session -> {}, () -> {})::run);
        }
    }
}
