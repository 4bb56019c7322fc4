package dev.sojourn.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import org.jspecify.annotations.Nullable;

/**
 * The agent's entry. Does as little as possible here: whatever goes wrong, the application starts.
 *
 * <p>Everything else lives in a class loader whose parent is the platform's, so that neither sees the other's classes.
 */
public final class Premain {
    private static final String[] TOOLS = {"jdk.", "java.base/", "sun.", "com.sun.tools.", "com.sun.javafx.tools."};

    private Premain() {}

    public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
        try {
            if (isTool(System.getProperty("sun.java.command"))) {
                return;
            }
            File jar = jar();
            // Never closed: the agent lives as long as the JVM.
            @SuppressWarnings("resource")
            ClassLoader core = new URLClassLoader(
                    new URL[] {jar.toURI().toURL()},
                    ClassLoader.getSystemClassLoader().getParent());
            Object[] hooks = (Object[]) core.loadClass("dev.sojourn.agent.core.Agent")
                    .getMethod("start", String.class, Instrumentation.class, File.class)
                    .invoke(null, arguments, instrumentation, jar);
            Bridge.install(hooks);
        } catch (Throwable problem) {
            System.err.println("sojourn: the agent could not start, sessions stay in this JVM: " + rootOf(problem));
        }
    }

    /** The JDK's own tools read JAVA_TOOL_OPTIONS too; a line from us would end up in somebody's parsed output. */
    static boolean isTool(@Nullable String command) {
        if (command == null) {
            return false;
        }
        for (String prefix : TOOLS) {
            if (command.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static File jar() throws Exception {
        return new File(Premain.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private static Throwable rootOf(Throwable problem) {
        Throwable cause = problem.getCause();
        return cause == null ? problem : rootOf(cause);
    }
}
