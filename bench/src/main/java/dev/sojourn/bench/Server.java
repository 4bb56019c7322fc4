package dev.sojourn.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A server process under measurement: started, waited for, stopped. */
final class Server implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Process process;
    private final long started = System.nanoTime();

    /** @param log where its output goes */
    Server(Path log, Map<String, String> environment, List<String> command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
    }

    /** Tries until {@code ready} returns true without an exception; returns the time since the process was started. */
    Duration awaitReady(Callable<Boolean> ready) throws IOException, InterruptedException {
        while (System.nanoTime() - started < PATIENCE.toNanos()) {
            try {
                if (ready.call()) {
                    return Duration.ofNanos(System.nanoTime() - started);
                }
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                // Not yet.
            }
            if (!process.isAlive()) {
                throw new IOException("ended by itself with status " + process.exitValue());
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        throw new IOException("not ready within " + PATIENCE);
    }

    /** Resident memory in KiB, as the kernel counts it. */
    long residentKib() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
