package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The newest JDK with long support, where this machine has one beside that of the tests. */
final class Jdk25 {
    static final String NEEDED = "needs a JDK 25: set JAVA_25_HOME, or install one below /usr/lib/jvm";
    private static final Path PACKAGES = Path.of("/usr/lib/jvm");

    private Jdk25() {}

    static boolean isHere() throws IOException {
        return find() != null;
    }

    /** {@code server}, with its nodes on that JDK. */
    static Server on(Server server) throws IOException {
        Path home = find();
        if (home == null) {
            throw new IllegalStateException(NEEDED);
        }
        String java = home.resolve("bin/java").toString();
        return new ChangedCommand(server, (command, agent) -> command.set(0, java));
    }

    private static @Nullable Path find() throws IOException {
        for (Path home : candidates()) {
            Path release = home.resolve("release");
            if (Files.exists(release) && Files.readString(release).contains("JAVA_VERSION=\"25")) {
                return home;
            }
        }
        return null;
    }

    private static List<Path> candidates() throws IOException {
        List<Path> homes = new ArrayList<>();
        // The second name is that of GitHub's machines.
        for (String name : List.of("JAVA_25_HOME", "JAVA_HOME_25_X64")) {
            String home = System.getenv(name);
            if (home != null) {
                homes.add(Path.of(home));
            }
        }
        if (Files.isDirectory(PACKAGES)) {
            try (DirectoryStream<Path> packages = Files.newDirectoryStream(PACKAGES, "*25*")) {
                packages.forEach(homes::add);
            }
        }
        return homes;
    }
}
