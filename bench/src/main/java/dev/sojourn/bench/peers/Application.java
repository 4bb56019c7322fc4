package dev.sojourn.bench.peers;

import dev.sojourn.bench.server.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** The application, deployed: its classes, its {@code web.xml}, and what a variant wants inside it. */
final class Application {
    private static final String PACKAGE = "dev/sojourn/bench/app";

    private final Places places;

    Application(Places places) {
        this.places = places;
    }

    void deploy(Variant variant, Tomcat tomcat, Path folder) throws IOException {
        Path web = folder.resolve("WEB-INF");
        Files.createDirectories(web);
        if (tomcat.javax()) {
            compileForJavax(web.resolve("classes"));
        } else {
            Scratch.copy(
                    places.classes().resolve(PACKAGE), web.resolve("classes").resolve(PACKAGE));
        }
        for (StaticFile file : StaticFile.values()) {
            Files.write(folder.resolve(file.fileName()), new byte[file.length()]);
        }
        Path own = places.configuration(variant.folder).resolve("app");
        Path filters = own.resolve("filters.xml");
        String xml = Files.readString(places.configuration("common").resolve("app/web.xml"));
        Files.writeString(
                web.resolve("web.xml"),
                xml.replace("<!-- filters -->", Files.exists(filters) ? Files.readString(filters) : ""));
        if (Files.exists(filters)) {
            Scratch.copy(places.jars(variant.folder), web.resolve("lib"));
            Files.copy(own.resolve("spring.xml"), web.resolve("spring.xml"));
        }
    }

    /** The same sources, against the older servlet API: only the package's name is another. */
    private void compileForJavax(Path classes) throws IOException {
        Path sources = Files.createDirectories(classes.resolveSibling("sources"));
        Files.createDirectories(classes);
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                places.tomcat(Tomcat.NINE).resolve("lib/servlet-api.jar").toString()));
        try (Stream<Path> files = Files.list(places.sources().resolve(PACKAGE))) {
            for (Path file : files.toList()) {
                if (file.endsWith("package-info.java")) {
                    continue;
                }
                Path copy = sources.resolve(file.getFileName().toString());
                Files.writeString(copy, Files.readString(file).replace("jakarta.servlet", "javax.servlet"));
                arguments.add(copy.toString());
            }
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null || compiler.run(null, null, null, arguments.toArray(new String[0])) != 0) {
            throw new IOException("the application does not compile for Tomcat 9: it wants a JDK, not a JRE");
        }
        Scratch.delete(sources);
    }
}
