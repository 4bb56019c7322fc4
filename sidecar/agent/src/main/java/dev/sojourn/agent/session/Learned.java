package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * The classes that sessions needed, in a file with one in each line, sorted: {@code sort -u} merges those of several pods, and
 * the result is an allow-list as it is.
 */
public final class Learned {
    private final Path file;
    private final ConcurrentSkipListSet<String> classes = new ConcurrentSkipListSet<>();
    private volatile boolean unsaved;

    Learned(File file) {
        this.file = file.toPath();
    }

    /** What was learned by earlier runs. Nothing is lost if it cannot be read: it is learned again. */
    Learned load() {
        try {
            if (Files.exists(file)) {
                classes.addAll(Files.readAllLines(file, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            Log.warn("what was learned before cannot be read: " + file + ": " + e);
        }
        return this;
    }

    void saw(Class<?> type) {
        Class<?> element = type;
        while (element.isArray()) {
            element = element.getComponentType();
        }
        if (Proxy.isProxyClass(element)) {
            // Their names are numbers; their interfaces are asked about, too.
            add("jdk.proxy*");
            add("com.sun.proxy.*");
        } else if (!element.isPrimitive()) {
            add(element.getName());
        }
    }

    /** As a stream writes it. */
    void saw(String className) {
        if (!className.startsWith("[")) {
            add(className);
        } else if (className.endsWith(";")) {
            add(className.substring(className.lastIndexOf('[') + 2, className.length() - 1));
        }
    }

    private void add(String pattern) {
        if (classes.add(pattern)) {
            unsaved = true;
        }
    }

    Collection<String> classes() {
        return classes;
    }

    /** To be called regularly. Whole or not at all: somebody may be reading it. */
    public void save() {
        if (!unsaved) {
            return;
        }
        unsaved = false;
        List<String> lines = new ArrayList<>(classes);
        Path draft = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.write(draft, lines, StandardCharsets.UTF_8);
            Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Log.warnOnce("what was learned cannot be written; deserialization.filter=learn:<file> wants a file in a"
                    + " folder that the application may write to: " + e);
        }
    }
}
