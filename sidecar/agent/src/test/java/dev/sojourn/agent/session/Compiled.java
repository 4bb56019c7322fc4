package dev.sojourn.agent.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.ToolProvider;

/** Classes that the tests' own loader does not find. */
final class Compiled {
    private Compiled() {}

    /** A serializable one in a class loader of its own, below the tests' loader. */
    static Class<?> of(Path folder, String name, String body) throws Exception {
        Path place = Files.createTempDirectory(folder, "classes");
        Path source = place.resolve(name + ".java");
        Files.writeString(source, "public class " + name + " implements java.io.Serializable { " + body + " }");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:none", "" + source));
        URL[] urls = {place.toUri().toURL()};
        return new URLClassLoader(urls, Compiled.class.getClassLoader()).loadClass(name);
    }
}
