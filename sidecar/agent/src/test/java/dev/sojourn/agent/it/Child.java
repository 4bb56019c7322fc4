package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A process of a test: it logs into a file, and ends with the test whatever happens. */
final class Child implements AutoCloseable {
    final Path log;
    private final Process process;

    Child(ProcessBuilder builder, Path log) throws IOException {
        this.log = log;
        Files.createDirectories(log.getParent());
        process = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** The first of these programs that is on the PATH. */
    static String program(String... names) {
        for (String name : names) {
            for (String folder : System.getenv("PATH").split(File.pathSeparator)) {
                if (new File(folder, name).canExecute()) {
                    return name;
                }
            }
        }
        throw new IllegalStateException("none of these is installed, the tests need one: " + String.join(", ", names));
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String logged() throws IOException {
        return Files.readString(log);
    }

    private void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, "" + process.pid())
                .inheritIO()
                .start()
                .waitFor();
    }

    /** It stands still when this returns: all of its threads do. */
    void pause() throws Exception {
        signal("STOP");
        Path stat = Path.of("/proc/" + process.pid() + "/stat");
        Eventually.holds(
                "it has stopped",
                Nodes.SOON,
                () -> Files.readString(stat).replaceAll("(?s).*\\) ", "").startsWith("T"));
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    void terminate() {
        process.destroy();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    int exit(long seconds) throws InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + seconds + " s, see " + log);
        }
        return process.exitValue();
    }

    @Override
    public void close() throws InterruptedException {
        kill();
    }
}
