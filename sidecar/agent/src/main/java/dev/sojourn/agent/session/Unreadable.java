package dev.sojourn.agent.session;

import java.io.InvalidClassException;
import org.jspecify.annotations.Nullable;

/** Why an attribute's bytes are no object in this JVM, as far as an exception tells. */
final class Unreadable {
    /** By a filter, not because the class is missing or different. */
    static final class Refused extends InvalidClassException {
        private static final long serialVersionUID = 1L;

        Refused(@Nullable String className, String by) {
            super(className, by);
        }
    }

    private Unreadable() {}

    static Notes.Kind kind(Throwable cause) {
        return cause instanceof Refused ? Notes.Kind.REFUSED : Notes.Kind.UNREADABLE;
    }

    /** The class that is to blame, or a question mark. */
    static String className(Throwable cause) {
        String name = null;
        if (cause instanceof InvalidClassException) {
            name = ((InvalidClassException) cause).classname;
        } else if (cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError) {
            name = cause.getMessage();
        }
        return name == null ? "?" : name.replace('/', '.');
    }
}
