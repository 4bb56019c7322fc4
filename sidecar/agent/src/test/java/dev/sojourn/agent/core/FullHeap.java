package dev.sojourn.agent.core;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import org.jspecify.annotations.Nullable;

/** What is done where there is no memory at all, in a JVM of its own: this one's would be the other tests' too. */
public final class FullHeap {
    /** What takes the memory: each array holds the one before. */
    private static Object @Nullable [] filling;

    private FullHeap() {}

    /** {@code main} has to come to an end without an exception. */
    public static void runs(Class<?> main) throws Exception {
        OtherJvm.runs(main, "-Xmx24m", "-XX:+UseSerialGC");
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
