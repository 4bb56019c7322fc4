package dev.sojourn.agent.it;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An application that a test builds with a build tool of its own, in a copy of its sources. */
final class MavenProject {
    private static final Path MVNW = Path.of(System.getProperty("basedir", "."), "../../mvnw");

    final Path folder;

    /** Of that name below {@code target}; what a build before left there is gone. */
    MavenProject(String kind, String name) throws Exception {
        folder = Pods.TARGET.resolve(kind).resolve(name);
        Pods.delete(folder);
    }

    Path java() {
        return folder.resolve("src/main/java/testapp");
    }

    /** {@code settings}: options such as {@code -Dname=value}. */
    MavenProject packaged(Path pom, List<String> settings) throws Exception {
        Files.copy(pom, folder.resolve("pom.xml"));
        List<String> command = new ArrayList<>(List.of(MVNW.toRealPath().toString(), "-B", "-q", "-ntp"));
        command.addAll(settings);
        command.add("package");
        Path log = folder.resolve("build.log");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home", ""));
        Process process =
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        if (!process.waitFor(5, TimeUnit.MINUTES) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IllegalStateException(folder + " could not be built, see " + log);
        }
        return this;
    }
}
