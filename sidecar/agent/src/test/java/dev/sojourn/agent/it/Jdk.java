package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Another JDK than that of the tests, where this machine has one. */
enum Jdk {
    /** Without Unix sockets: the way to the sidecar is loopback TCP. */
    OLD(11),
    /** The newest with long support. */
    NEW(25);

    static final String OLD_NEEDED = "needs a JDK 11: set JAVA_11_HOME, or install one below /usr/lib/jvm";
    static final String NEW_NEEDED = "needs a JDK 25: set JAVA_25_HOME, or install one below /usr/lib/jvm";
    private static final Path PACKAGES = Path.of("/usr/lib/jvm");

    private final int version;

    Jdk(int version) {
        this.version = version;
    }

    static boolean hasOld() throws IOException {
        return OLD.find() != null;
    }

    static boolean hasNew() throws IOException {
        return NEW.find() != null;
    }

    /** {@code server}, with its nodes on this JDK. */
    Server running(Server server) throws IOException {
        Path home = find();
        if (home == null) {
            throw new IllegalStateException("no JDK " + version);
        }
        String java = home.resolve("bin/java").toString();
        return new ChangedCommand(server, (command, agent) -> command.set(0, java), this != OLD);
    }

    private @Nullable Path find() throws IOException {
        for (Path home : candidates()) {
            Path release = home.resolve("release");
            if (Files.exists(release) && Files.readString(release).contains("JAVA_VERSION=\"" + version)) {
                return home;
            }
        }
        return null;
    }

    private List<Path> candidates() throws IOException {
        List<Path> homes = new ArrayList<>();
        // The second name is that of GitHub's machines.
        for (String name : List.of("JAVA_" + version + "_HOME", "JAVA_HOME_" + version + "_X64")) {
            String home = System.getenv(name);
            if (home != null) {
                homes.add(Path.of(home));
            }
        }
        if (Files.isDirectory(PACKAGES)) {
            try (DirectoryStream<Path> packages = Files.newDirectoryStream(PACKAGES, "*" + version + "*")) {
                packages.forEach(homes::add);
            }
        }
        return homes;
    }
}
