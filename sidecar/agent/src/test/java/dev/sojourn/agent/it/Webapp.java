package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The test's web application, compiled against one Tomcat's servlet API: one source for javax and jakarta. */
final class Webapp {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src/test/webapp");

    private final Path classes;

    Webapp(Path tomcat, boolean jakarta, Path work) throws IOException {
        Path sources = work.resolve("webapp-src");
        classes = Files.createDirectories(work.resolve("webapp-classes"));
        Files.createDirectories(sources);
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-proc:none",
                "--release",
                "8",
                "-Xlint:-options",
                "-d",
                classes.toString(),
                "-cp",
                tomcat.resolve("lib/servlet-api.jar").toString()));
        try (Stream<Path> files = Files.list(SOURCES.resolve("src/testapp"))) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                Path copy = sources.resolve(file.getFileName().toString());
                Files.writeString(
                        copy, jakarta ? text.replace("import javax.servlet", "import jakarta.servlet") : text);
                arguments.add(copy.toString());
            }
        }
        if (jakarta) {
            // The newer API is compiled for newer Java.
            arguments.set(arguments.indexOf("8"), "17");
        }
        int problems = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]));
        if (problems != 0) {
            throw new IllegalStateException("the test application does not compile against " + tomcat);
        }
    }

    /** {@code without}: a class that this node's version does not have. */
    void deploy(Path target, String without) throws IOException {
        Path deployed = Files.createDirectories(target.resolve("WEB-INF/classes/testapp"));
        Files.copy(SOURCES.resolve("WEB-INF/web.xml"), target.resolve("WEB-INF/web.xml"));
        try (Stream<Path> files = Files.list(classes.resolve("testapp"))) {
            for (Path file : files.toList()) {
                if (!file.getFileName().toString().equals(without + ".class")) {
                    Files.copy(file, deployed.resolve(file.getFileName().toString()));
                }
            }
        }
    }
}
