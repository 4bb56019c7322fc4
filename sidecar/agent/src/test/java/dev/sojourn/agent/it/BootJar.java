package dev.sojourn.agent.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/** A Spring Boot executable jar, built with Boot's own plugin. */
final class BootJar implements Server {
    private static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src/test/boot");
    private static final String CLASSES = "BOOT-INF/classes/";
    /** By version: several suites run the same jar. */
    private static final Map<String, Path> PROJECTS = new HashMap<>();

    private final String version;
    private final boolean jakarta;
    private final List<String> more;
    private boolean secure;
    private @Nullable Path project;
    private @Nullable Path work;

    /** {@code more}: arguments of the application. */
    BootJar(String version, boolean jakarta, String... more) {
        this.more = List.of(more);
        this.version = version;
        this.jakarta = jakarta;
    }

    /** Reached by TLS at the container, where whoever can speaks HTTP/2, as browsers do. */
    BootJar secure() {
        secure = true;
        return this;
    }

    @Override
    public String scheme() {
        return secure ? "https" : "http";
    }

    @Override
    public void build(Path folder) throws Exception {
        work = Files.createDirectories(folder);
        synchronized (PROJECTS) {
            project = PROJECTS.get(version);
            if (project == null) {
                project = packaged();
                PROJECTS.put(version, project);
            }
        }
    }

    private Path packaged() throws Exception {
        MavenProject built = new MavenProject("boot", version);
        Webapp.translated(Webapp.SOURCES.resolve("src/testapp"), built.java(), jakarta);
        Webapp.translated(SOURCES.resolve("src"), built.java(), jakarta);
        return built.packaged(SOURCES.resolve("pom.xml"), List.of("-Dboot.version=" + version)).folder;
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws IOException {
        Files.createDirectories(base);
        List<String> command = new ArrayList<>(List.of(
                Server.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                agent,
                "-jar",
                of(release).toString(),
                "--server.address=127.0.0.1",
                "--server.port=" + port,
                "--server.http2.enabled=true",
                // As Connector has it.
                "--server.tomcat.keep-alive-timeout=-1",
                "--server.servlet.context-path=/app",
                "--server.tomcat.background-processor-delay=1s",
                "--server.shutdown=graceful",
                "--server.tomcat.basedir=" + base,
                "--spring.security.user.name=ann",
                "--spring.security.user.password=secret",
                "--spring.main.banner-mode=off"));
        if (secure) {
            command.add("--server.ssl.key-store=" + Certificate.keystore());
            command.add("--server.ssl.key-store-password=" + Certificate.PASSWORD);
        }
        command.addAll(more);
        return new ProcessBuilder(command);
    }

    private Path of(Release release) throws IOException {
        if (project == null || work == null) {
            throw new IllegalStateException("not built");
        }
        Path jar = project.resolve("target/boot.jar");
        if (release == Release.THIS) {
            return jar;
        }
        Path next = work.resolve("boot-next.jar");
        if (!Files.exists(next)) {
            Path changed = work.resolve("boot-next");
            Webapp.compileNext(project.resolve("target/classes"), changed, jakarta);
            rewrite(jar, next, changed);
        }
        return next;
    }

    /** Entry by entry: Boot wants the jars within it as they are, stored. */
    private static void rewrite(Path from, Path to, Path changed) throws IOException {
        try (ZipFile in = new ZipFile(from.toFile());
                OutputStream file = Files.newOutputStream(to);
                ZipOutputStream out = new ZipOutputStream(file)) {
            for (ZipEntry entry : Collections.list(in.entries())) {
                String name = entry.getName();
                if (name.endsWith("/" + Webapp.ONLY_THIS)) {
                    continue;
                }
                Path other = name.startsWith(CLASSES) ? changed.resolve(name.substring(CLASSES.length())) : changed;
                if (Files.isRegularFile(other)) {
                    out.putNextEntry(new ZipEntry(name));
                    Files.copy(other, out);
                } else {
                    ZipEntry copy = new ZipEntry(entry);
                    copy.setCompressedSize(-1);
                    out.putNextEntry(copy);
                    try (InputStream content = in.getInputStream(entry)) {
                        content.transferTo(out);
                    }
                }
            }
        }
    }
}
