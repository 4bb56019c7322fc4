package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** What a JVM takes at one moment: objects that are alive, threads, open files. */
record Footprint(long bytes, long threads, long files) {
    /** Classes are still loaded, and caches filled, while it runs; a leak has no end. */
    private static final long SLACK_BYTES = 2 << 20;

    private static final long SLACK = 8;

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

    /** A histogram of the heap counts what is left after a full collection. */
    private static long alive(long pid) throws Exception {
        String jcmd = Path.of(Server.java()).resolveSibling("jcmd").toString();
        Process process = new ProcessBuilder(jcmd, "" + pid, "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String all = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // Total        123456       12345678
        String[] total = all.substring(all.lastIndexOf("Total")).trim().split("\\s+");
        return Long.parseLong(total[2]);
    }

    private static long entries(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }
}
