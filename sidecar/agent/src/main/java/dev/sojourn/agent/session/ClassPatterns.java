package dev.sojourn.agent.session;

import java.util.ArrayList;
import java.util.List;

/** The part of {@code jdk.serialFilter}'s patterns that is about class names, for JVMs that lack the whole. */
final class ClassPatterns {
    private final List<String> patterns = new ArrayList<>();

    private ClassPatterns() {}

    static ClassPatterns of(String filter) {
        ClassPatterns result = new ClassPatterns();
        for (String item : filter.split(";", -1)) {
            // Limits (name=value) and modules (name/...) are of JVMs that have filters.
            if (!item.isEmpty() && item.indexOf('=') < 0 && item.indexOf('/') < 0) {
                result.patterns.add(item);
            }
        }
        return result;
    }

    /** The first match decides; what nobody names is allowed. */
    boolean allow(String className) {
        for (String pattern : patterns) {
            boolean refuses = pattern.startsWith("!");
            if (matches(refuses ? pattern.substring(1) : pattern, className)) {
                return !refuses;
            }
        }
        return true;
    }

    private static boolean matches(String pattern, String name) {
        if (pattern.endsWith(".**")) {
            return name.startsWith(pattern.substring(0, pattern.length() - 2));
        }
        if (pattern.endsWith(".*")) {
            String prefix = pattern.substring(0, pattern.length() - 1);
            return name.startsWith(prefix) && name.indexOf('.', prefix.length()) < 0;
        }
        if (pattern.endsWith("*")) {
            return name.startsWith(pattern.substring(0, pattern.length() - 1));
        }
        return name.equals(pattern);
    }
}
