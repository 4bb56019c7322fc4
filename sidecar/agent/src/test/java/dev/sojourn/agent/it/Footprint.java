package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a JVM takes at one moment: objects that are alive, threads, open files. */
record Footprint(long bytes, long threads, long files) {
    /** Classes are still loaded, and caches filled, while it runs; a leak has no end. */
    private static final long SLACK_BYTES = 2 << 20;

    private static final long SLACK = 8;

    /** Where jcmd itself waits, each try counts for less than it takes. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The objects, and their bytes. */
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    static Footprint of(long pid) throws Exception {
        return new Footprint(
                alive(pid), entries(Path.of("/proc/" + pid + "/task")), entries(Path.of("/proc/" + pid + "/fd")));
    }

    /** Compares the last third with the first one, each at its least: what comes and goes is no leak. */
    static void assertNoGrowth(List<Footprint> series) {
        int third = series.size() / 3;
        List<Footprint> first = series.subList(0, third);
        List<Footprint> last = series.subList(series.size() - third, series.size());
        assertNoGrowth("bytes alive", first, last, Footprint::bytes, SLACK_BYTES, series);
        assertNoGrowth("threads", first, last, Footprint::threads, SLACK, series);
        assertNoGrowth("open files", first, last, Footprint::files, SLACK, series);
    }

    private static void assertNoGrowth(
            String what,
            List<Footprint> first,
            List<Footprint> last,
            ToLongFunction<Footprint> of,
            long slack,
            List<Footprint> all) {
        long before = least(first, of);
        long after = least(last, of);
        assertTrue(after <= before + before / 10 + slack, what + " grew from " + before + " to " + after + ": " + all);
    }

    private static long least(List<Footprint> part, ToLongFunction<Footprint> of) {
        return part.stream().mapToLong(of).min().orElseThrow();
    }

    /** A JVM that has no time to let jcmd in is asked again. */
    private static long alive(long pid) throws Exception {
        String[] said = {"nothing"};
        Eventually.holds(() -> "jcmd counts the objects of " + pid + "; it says " + said[0], PATIENCE, () -> {
            said[0] = histogram(pid);
            return TOTAL.matcher(said[0]).find();
        });
        return TOTAL.matcher(said[0])
                .results()
                .mapToLong(total -> Long.parseLong(total.group(1)))
                .sum();
    }

    /** A histogram of the heap counts what is left after a full collection. */
    private static String histogram(long pid) throws IOException {
        String jcmd = Path.of(Server.java()).resolveSibling("jcmd").toString();
        Process process = new ProcessBuilder(jcmd, "" + pid, "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static long entries(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }
}
