package dev.sojourn.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code make bench}: prints what Sojourn costs on this machine. */
public final class Bench {
    private Bench() {}

    /** @param arguments the path of {@code sojournd}; run it in the top folder of the source tree */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path scratch = Files.createTempDirectory("sojourn-bench");
        Path daemon = Path.of(arguments[0]).toAbsolutePath();
        try {
            new Footprint(Path.of("").toAbsolutePath(), scratch, daemon).print();
            new RoundTrips(daemon, scratch).print();
        } finally {
            Footprint.delete(scratch);
        }
    }
}
