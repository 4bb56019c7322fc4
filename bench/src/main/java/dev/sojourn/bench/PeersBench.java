package dev.sojourn.bench;

import dev.sojourn.bench.measure.Figures;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.scenario.Settings;
import dev.sojourn.bench.scenario.Terracotta;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code make bench-peers}: Sojourn and the other ways of keeping sessions, side by side. */
public final class PeersBench {
    private PeersBench() {}

    /** @param arguments the path of {@code sojournd}; run it in the top folder of the source tree */
    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.of(System.getenv());
        Places places =
                new Places(Path.of("").toAbsolutePath(), Path.of(arguments[0]).toAbsolutePath());
        List<Figures> figures = new ArrayList<>();
        figures.addAll(new Terracotta(settings, places).run());
    }
}
