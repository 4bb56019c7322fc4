package dev.sojourn.bench;

import dev.sojourn.bench.server.Scratch;
import java.io.IOException;
import java.nio.file.Path;

/** {@code make bench}: prints what Sojourn costs on this machine. */
public final class Bench {
    private Bench() {}

    /** @param arguments the path of {@code sojournd}; run it in the top folder of the source tree */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path daemon = Path.of(arguments[0]).toAbsolutePath();
        try (var scratch = new Scratch()) {
            new Footprint(Path.of("").toAbsolutePath(), scratch.path(), daemon).print();
            new RoundTrips(daemon, scratch.path()).print();
        }
    }
}
