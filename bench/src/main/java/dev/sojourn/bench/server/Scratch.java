package dev.sojourn.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A temporary folder. Unix sockets lie in it, whose paths must be short: so it is not below the build's. */
public final class Scratch implements AutoCloseable {
    private final Path path;
    private final Thread atShutdown = new Thread(this::deleteInterrupted);

    public Scratch() throws IOException {
        path = Files.createTempDirectory("sojourn-bench");
        Runtime.getRuntime().addShutdownHook(atShutdown);
    }

    /** For a run that is interrupted: the servers that write into it must have ended. */
    private void deleteInterrupted() {
        Server.stopAll();
        try {
            delete(path);
        } catch (IOException e) {
            System.err.println("left behind: " + path + ": " + e);
        }
    }

    public Path path() {
        return path;
    }

    public Path folder(String name) throws IOException {
        return Files.createTempDirectory(path, name);
    }

    public static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(path, target);
                }
            }
        }
    }

    /** Deletes a folder with all that is in it. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(path);
            }
        }
    }

    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(atShutdown);
        delete(path);
    }
}
