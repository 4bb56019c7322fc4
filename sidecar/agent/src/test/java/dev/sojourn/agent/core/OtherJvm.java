package dev.sojourn.agent.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What would take memory from all other tests in this one. */
public final class OtherJvm {
    private OtherJvm() {}

    /** {@code main} has to come to an end without an exception. */
    public static void runs(Class<?> main, String... options) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process jvm = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            assertTrue(jvm.waitFor(60, TimeUnit.SECONDS), "it waits for ever");
            assertEquals(0, jvm.exitValue());
        } finally {
            jvm.destroyForcibly();
        }
    }
}
