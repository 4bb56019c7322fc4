package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** The test's web application, compiled against one servlet API: one source for javax and jakarta. */
final class Webapp {
    static final Path SOURCES = Path.of(System.getProperty("basedir", "."), "src/test/webapp");
    static final String ONLY_THIS = "OnlyHere.class";

    private final Path classes;
    private final Path next;

    /** {@code api}: the class path of the servlet and WebSocket API. */
    Webapp(String api, boolean jakarta, Path work) throws IOException {
        classes = Files.createDirectories(work.resolve("webapp-classes"));
        next = work.resolve("webapp-classes-next");
        compile(translated(SOURCES.resolve("src/testapp"), work.resolve("webapp-src"), jakarta), api, classes, jakarta);
        compileNext(classes, next, jakarta);
    }

    void deploy(Path target, Release release, boolean distributable) throws IOException {
        Files.createDirectories(target.resolve("WEB-INF"));
        String descriptor = Files.readString(SOURCES.resolve("WEB-INF/web.xml"));
        Files.writeString(
                target.resolve("WEB-INF/web.xml"),
                distributable ? descriptor.replace("</web-app>", "<distributable/></web-app>") : descriptor);
        copyClasses(target.resolve("WEB-INF/classes"), release);
    }

    void copyClasses(Path target, Release release) throws IOException {
        Path deployed = Files.createDirectories(target.resolve("testapp"));
        for (Path file : list(classes.resolve("testapp"))) {
            String name = file.getFileName().toString();
            Path changed = next.resolve("testapp").resolve(name);
            if (release == Release.THIS) {
                Files.copy(file, deployed.resolve(name));
            } else if (!name.equals(ONLY_THIS)) {
                Files.copy(Files.exists(changed) ? changed : file, deployed.resolve(name));
            }
        }
    }

    /** Copies of the sources, for the API of that name. */
    static List<Path> translated(Path folder, Path to, boolean jakarta) throws IOException {
        Files.createDirectories(to);
        List<Path> copies = new ArrayList<>();
        for (Path file : list(folder)) {
            String text = Files.readString(file);
            Path copy = to.resolve(file.getFileName().toString());
            Files.writeString(copy, jakarta ? text.replaceAll("javax\\.(servlet|websocket)", "jakarta.$1") : text);
            copies.add(copy);
        }
        return copies;
    }

    /** What the next version has changed. */
    static void compileNext(Path classes, Path to, boolean jakarta) throws IOException {
        Files.createDirectories(to);
        compile(list(SOURCES.resolve("next/testapp")), classes.toString(), to, jakarta);
    }

    private static void compile(List<Path> sources, String classPath, Path to, boolean jakarta) {
        List<String> arguments = new ArrayList<>(
                List.of("-nowarn", "-proc:none", "-Xlint:-options", "-d", to.toString(), "-cp", classPath));
        // The newer API is compiled for newer Java.
        arguments.addAll(List.of("--release", jakarta ? "17" : "8"));
        sources.forEach(source -> arguments.add(source.toString()));
        int problems = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(new String[0]));
        if (problems != 0) {
            throw new IllegalStateException("the test application does not compile against " + classPath);
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> new File(file.toString()).isFile()).toList();
        }
    }
}
