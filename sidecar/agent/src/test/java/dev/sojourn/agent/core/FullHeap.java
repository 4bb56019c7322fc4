package dev.sojourn.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is done where there is no memory at all, in a JVM of its own: this one's would be the other tests' too. */
public final class FullHeap {
    /** What takes the memory: each array holds the one before. */
    private static Object @Nullable [] filling;

    private FullHeap() {}

    /** {@code main} has to come to an end without an exception. */
    public static void runs(Class<?> main) throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx24m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertTrue(jvm.waitFor(60, TimeUnit.SECONDS), "it waits for ever");
            assertEquals(0, jvm.exitValue());
        } finally {
            jvm.destroyForcibly();
        }
    }

    /** Fails for want of memory. By then all that it runs must have been run once: to load a class takes memory too. */
    public static void fails(Runnable work) {
        Error failed = null;
        fill();
        try {
            work.run();
        } catch (OutOfMemoryError e) {
            failed = e;
        }
        filling = null;
        assertNotNull(failed, "there was memory: this test shows nothing");
    }

    /** Down to the last byte. */
    public static void fill() {
        for (int size = 1 << 20; size > 0; ) {
            try {
                Object[] more = new Object[size];
                more[0] = filling;
                filling = more;
            } catch (OutOfMemoryError e) {
                size /= 4;
            }
        }
    }

    public static void empty() {
        filling = null;
    }
}
