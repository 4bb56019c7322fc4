package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A stock Tomcat with an application of JSF and Wicket. */
final class FrameworksTomcat implements Server {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src/test/frameworks");

    private final StockTomcat tomcat = new StockTomcat("10.1.54", true);
    private final String faces;
    private @Nullable Path application;

    /** {@code faces}: the JSF, as {@code group:artifact:version}. */
    FrameworksTomcat(String faces) {
        this.faces = faces;
        tomcat.contexts();
    }

    @Override
    public void build(Path work) throws Exception {
        tomcat.build(work);
        String[] parts = faces.split(":");
        MavenProject built = new MavenProject("frameworks", parts[1]);
        Webapp.translated(Webapp.SOURCES.resolve("src/testapp"), built.java(), true);
        Webapp.translated(SOURCES.resolve("src"), built.java(), true);
        copy(SOURCES.resolve("webapp"), built.folder.resolve("src/main/webapp"));
        copy(SOURCES.resolve("wicket"), built.folder.resolve("src/main/resources/testapp"));
        List<String> settings =
                List.of("-Dfaces.group=" + parts[0], "-Dfaces.artifact=" + parts[1], "-Dfaces.version=" + parts[2]);
        application =
                built.packaged(SOURCES.resolve("pom.xml"), settings).folder.resolve("target/app");
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws IOException {
        if (application == null) {
            throw new IllegalStateException("not built");
        }
        copy(application, base.resolve("webapps/app"));
        return tomcat.node(base, release, agent, port);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}
