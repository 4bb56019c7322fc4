package dev.sojourn.bench.server;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A server process under measurement: started, waited for, stopped however the run ends, short of SIGKILL. */
public final class Server implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** As HotSpot names them, cut to 15 characters by the kernel. */
    private static final Pattern COMPILER = Pattern.compile("\\(C[12] Compiler");

    private static final Processes ALL = new Processes();

    static {
        // A run that is interrupted must not leave servers behind that take CPU from the next one.
        Runtime.getRuntime().addShutdownHook(new Thread(Server::stopAll));
    }

    private final Process process;
    private final Path log;
    private final long started = System.nanoTime();

    /** @param log where its output goes */
    public Server(Path log, Map<String, String> environment, List<String> command) throws IOException {
        this.log = log;
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        process = ALL.start(builder);
    }

    /** For the end of the run only. */
    static void stopAll() {
        ALL.stopAll();
    }

    /** Whether the run is at its end: what is measured from now on is of servers that were killed. */
    public static boolean isStopping() {
        return ALL.isStopping();
    }

    /** Tries until {@code ready} returns true without an exception; returns the time since the process was started. */
    public Duration awaitReady(Callable<Boolean> ready) throws IOException, InterruptedException {
        return awaitReady(ready, 1);
    }

    /** @param interval milliseconds between two tries: a short one is exact, a long one leaves the CPU to the server */
    public Duration awaitReady(Callable<Boolean> ready, long interval) throws IOException, InterruptedException {
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
                throw new IOException("ended by itself with status " + process.exitValue() + ": " + lastWords());
            }
            TimeUnit.MILLISECONDS.sleep(interval);
        }
        throw new IOException("not ready within " + PATIENCE + ": " + lastWords());
    }

    /** The log's last error, for a message that explains itself after the log is gone. */
    private String lastWords() throws IOException {
        List<String> lines = Files.readString(log).lines().toList();
        return lines.stream()
                .filter(line -> line.matches(".*(SEVERE|Exception|error|Error).*"))
                .reduce((first, second) -> second)
                .orElse(lines.isEmpty() ? "it said nothing" : lines.get(lines.size() - 1));
    }

    /** The process's. */
    public long pid() {
        return process.pid();
    }

    /** Resident memory in KiB, as the kernel counts it. */
    public long residentKib() throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    /** User and system time of all its threads so far, in ms; the kernel tells it in steps of 10 ms. */
    public long cpuMillis() throws IOException {
        return cpuMillis(Files.readString(Path.of("/proc/" + process.pid() + "/stat")));
    }

    /** proc(5): the command in parentheses may hold spaces; utime and stime are the 12th and 13th field after it. */
    static long cpuMillis(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return 10 * (Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
    }

    /** What of that the JIT's threads took; 0 if it is no JVM. */
    public long jitMillis() throws IOException {
        long sum = 0;
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                sum += jitMillis(thread);
            }
        }
        return sum;
    }

    private static long jitMillis(Path thread) throws IOException {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return COMPILER.matcher(stat).find() ? cpuMillis(stat) : 0;
        } catch (NoSuchFileException e) {
            // It ended while we looked.
            return 0;
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public Path log() {
        return log;
    }

    /** Below the range that the kernel takes outgoing connections' ports from, of which a run has hundreds. */
    public static int freePort() throws IOException {
        for (int i = 0; i < 100; i++) {
            int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
            try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException e) {
                // Another one's.
            }
        }
        throw new IOException("no free port between 12000 and 32000 on loopback in 100 tries");
    }

    @Override
    public void close() {
        ALL.stop(process);
    }
}
