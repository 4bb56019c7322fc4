package dev.sojourn.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A hook that throws fails no request, and says whose fault it is. */
class BridgeTest {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    @AfterEach
    void end() {
        System.setErr(before);
        Bridge.install(new Object[8]);
    }

    @Test
    void aJvmWithoutMemoryIsNoBug() {
        failing(new OutOfMemoryError("as told"));
        String line = said.toString(StandardCharsets.UTF_8);
        assertTrue(line.contains("the JVM has no memory left"), line);
        assertFalse(line.contains("bug"), line);
        failing(new IllegalStateException("as told"));
        assertTrue(said.toString(StandardCharsets.UTF_8).contains("this is a bug in the agent"), "and hides none");
    }

    private void failing(Throwable problem) {
        Object[] hooks = new Object[8];
        hooks[3] = (Consumer<Object>) request -> BridgeTest.<RuntimeException>raise(problem);
        Bridge.install(hooks);
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        Bridge.recycling(this);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable problem) throws T {
        throw (T) problem;
    }
}
