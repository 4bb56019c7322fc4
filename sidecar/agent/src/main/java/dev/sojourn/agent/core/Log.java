package dev.sojourn.agent.core;

import java.io.PrintStream;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Standard error, one line each. No logging framework: the application has not configured its own yet. */
public final class Log {
    /** From the quietest to the loudest. */
    enum Level {
        OFF,
        WARN,
        INFO,
        DEBUG
    }

    // A hostile client must not be able to fill the heap by provoking new problems.
    private static final int REMEMBERED = 1_000;

    private static final PrintStream OUT = System.err;
    private static final Set<String> SAID = ConcurrentHashMap.newKeySet();
    private static volatile Level level = Level.INFO;

    private Log() {}

    static void level(Level chosen) {
        level = chosen;
    }

    public static void info(String line) {
        say(Level.INFO, line);
    }

    public static void debug(String line) {
        say(Level.DEBUG, line);
    }

    public static void warn(String line) {
        say(Level.WARN, line);
    }

    // With a cause: of what goes on all the same. Who waits for whoever caught it must not wait for a word about it,
    // which takes memory. Where there is none for it, none is said.

    public static void debug(String line, Object cause) {
        try {
            debug(line + cause);
        } catch (Throwable ignored) {
            // As above.
        }
    }

    public static void warn(String line, Object cause) {
        try {
            warn(line + cause);
        } catch (Throwable ignored) {
            // As above.
        }
    }

    public static void warnOnce(String line, Object cause) {
        try {
            warnOnce(line + cause);
        } catch (Throwable ignored) {
            // As above.
        }
    }

    public static void warnOnce(String line, String context, Object cause) {
        try {
            warnOnce(line + ": context=" + context + " cause=" + cause);
        } catch (Throwable ignored) {
            // As above.
        }
    }

    /** For problems that would come back with every request. */
    public static void warnOnce(String line) {
        if (SAID.size() < REMEMBERED && SAID.add(line)) {
            warn(line);
        }
    }

    private static void say(Level of, String line) {
        if (of.compareTo(level) <= 0) {
            OUT.println((of == Level.WARN ? "sojourn: warning: " : "sojourn: ") + line);
        }
    }
}
