package dev.sojourn.agent.core;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All settings, read in one place: agent argument, then environment, then the file beside the jar. README.md lists them. */
public final class Config {
    private final Map<String, String> values;
    private final List<String> problems = new ArrayList<>();

    public final boolean enabled;
    /** Null: not set, and so is {@link #tcp} or the default holds. */
    public final @Nullable String socket;

    public final @Nullable String tcp;
    public final @Nullable String tokenFile;
    public final long patienceMillis;
    public final long timeoutMillis;
    public final long drainQuietMillis;
    public final long drainDeadlineMillis;
    /** Users stay on a pod that drains. */
    public final boolean drainSticky;

    public final long memoryIdleMillis;
    /** So many copies of sessions that nobody uses just now; {@link Integer#MAX_VALUE}: any number. */
    public final int memorySessions;

    public final String deserializationFilter;
    public final Set<String> excludedContexts;
    /** Requests to these paths keep no session alive. */
    public final Set<String> passivePaths;
    /** Attributes that are serialized together; empty: none. */
    public final String group;

    private final boolean exclusive;
    private final Set<String> exclusiveContexts;
    final Log.Level logLevel;

    private static final String[] KEYS = {
        "agent.enabled",
        "socket",
        "tcp",
        "tokenFile",
        "patience",
        "timeout",
        "drain.quiet",
        "drain.deadline",
        "drain.mode",
        "memory.idle",
        "memory.sessions",
        "deserialization.filter",
        "group",
        "concurrency",
        "concurrency.contexts",
        "contexts.exclude",
        "passive.paths",
        "log.level"
    };

    private Config(Map<String, String> values) {
        this.values = values;
        // So a container's manifest can take back what the file says.
        values.values().removeIf(String::isEmpty);
        enabled = !"false".equalsIgnoreCase(text("agent.enabled", "true"));
        tcp = values.get("tcp");
        socket = values.containsKey("socket") || tcp != null ? values.get("socket") : "/sojourn/run/sojourn.sock";
        tokenFile = values.get("tokenFile");
        // A container that is restarted on a busy node takes 3 to 4 s; until then waiting is right and going on alone
        // is stale.
        patienceMillis = duration("patience", 10_000);
        // Longer than the sidecar's own patience with the store: its answer should win.
        timeoutMillis = duration("timeout", 20_000);
        drainQuietMillis = duration("drain.quiet", 250);
        drainDeadlineMillis = duration("drain.deadline", 10_000);
        memoryIdleMillis = duration("memory.idle", 600_000);
        memorySessions = count("memory.sessions", Integer.MAX_VALUE);
        deserializationFilter = text("deserialization.filter", "");
        group = text("group", "");
        drainSticky = second("drain.mode", "immediate", "sticky");
        exclusive = second("concurrency", "shared", "exclusive");
        exclusiveContexts = split(text("concurrency.contexts", ""));
        excludedContexts = split(text("contexts.exclude", ""));
        passivePaths = split(text("passive.paths", ""));
        logLevel = level(text("log.level", "info"));
    }

    /** One request of a session at a time in the whole cluster; {@code path}: of the context, {@code /} for the root. */
    public boolean isExclusive(String path) {
        return exclusive && (exclusiveContexts.isEmpty() || exclusiveContexts.contains(path));
    }

    /** Problems do not stop the agent: the caller says them, and the defaults hold. */
    List<String> problems() {
        return problems;
    }

    static Config load(@Nullable String argument, Map<String, String> environment, File file) {
        Map<String, String> values = new HashMap<>();
        List<String> problems = new ArrayList<>();
        fromFile(file, values, problems);
        for (String key : KEYS) {
            String value = environment.get(variable(key));
            if (value != null) {
                values.put(key, value);
            }
        }
        fromArgument(argument, values, problems);
        Config config = new Config(values);
        config.problems.addAll(problems);
        return config;
    }

    /** {@code tokenFile} is SOJOURN_TOKEN_FILE, {@code drain.quiet} is SOJOURN_DRAIN_QUIET. */
    static String variable(String key) {
        StringBuilder name = new StringBuilder("SOJOURN_");
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (Character.isUpperCase(c)) {
                name.append('_');
            }
            name.append(c == '.' ? '_' : Character.toUpperCase(c));
        }
        return name.toString();
    }

    private static void fromFile(File file, Map<String, String> values, List<String> problems) {
        if (!file.isFile()) {
            return;
        }
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file.toPath());
                Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            problems.add("settings file not readable, it is ignored: " + file + ": " + e);
            return;
        }
        for (String key : properties.stringPropertyNames()) {
            put(key, properties.getProperty(key, "").trim(), file.getName(), values, problems);
        }
    }

    private static void fromArgument(@Nullable String argument, Map<String, String> values, List<String> problems) {
        if (argument == null || argument.isEmpty()) {
            return;
        }
        int from = 0;
        String last = "";
        while (from <= argument.length()) {
            int comma = argument.indexOf(',', from);
            int to = comma < 0 ? argument.length() : comma;
            int equals = argument.indexOf('=', from);
            if (equals > from && equals < to) {
                last = argument.substring(from, equals);
                put(last, argument.substring(equals + 1, to), "argument", values, problems);
            } else if (to > from && last.equals("group")) {
                // The one setting that has commas of its own.
                values.put(last, values.get(last) + "," + argument.substring(from, to));
            } else if (to > from) {
                problems.add("argument is not key=value, it is ignored: " + argument.substring(from, to));
            }
            from = to + 1;
        }
    }

    private static void put(
            String key, String value, String source, Map<String, String> values, List<String> problems) {
        for (String known : KEYS) {
            if (known.equals(key)) {
                values.put(key, value);
                return;
            }
        }
        problems.add("unknown setting in " + source + ", it is ignored: " + key);
    }

    private String text(String key, String otherwise) {
        String value = values.get(key);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    /** {@code 300ms}, {@code 3s}, {@code 10m}; a bare number is milliseconds. */
    private long duration(String key, long otherwise) {
        String text = values.get(key);
        if (text == null || text.isEmpty()) {
            return otherwise;
        }
        int digits = 0;
        while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
            digits++;
        }
        String unit = text.substring(digits).trim();
        long factor =
                unit.isEmpty() || unit.equals("ms") ? 1 : unit.equals("s") ? 1_000 : unit.equals("m") ? 60_000 : 0;
        if (digits == 0 || digits > 9 || factor == 0) {
            problems.add(
                    key + " is not a duration such as 300ms, 3s or 10m: " + text + "; " + otherwise + "ms is used");
            return otherwise;
        }
        return Long.parseLong(text.substring(0, digits)) * factor;
    }

    private int count(String key, int otherwise) {
        String text = text(key, "");
        if (!text.isEmpty() && !text.matches("[0-9]{1,9}")) {
            problems.add(key + " is not a whole number: " + text + "; it is as if it were not set");
            return otherwise;
        }
        return text.isEmpty() ? otherwise : Integer.parseInt(text);
    }

    /** Whether a setting is the second of two words, and not the first, its default. */
    private boolean second(String key, String first, String second) {
        String text = text(key, first);
        if (!text.equals(first) && !text.equals(second)) {
            problems.add(key + " is not one of " + first + ", " + second + ": " + text + "; " + first + " is used");
        }
        return text.equals(second);
    }

    private Log.Level level(String text) {
        for (Log.Level level : Log.Level.values()) {
            if (level.name().toLowerCase(Locale.ROOT).equals(text.toLowerCase(Locale.ROOT))) {
                return level;
            }
        }
        problems.add("log.level is not one of off, warn, info, debug: " + text + "; info is used");
        return Log.Level.INFO;
    }

    private static Set<String> split(String separated) {
        Set<String> set = new HashSet<>();
        int from = 0;
        while (from <= separated.length()) {
            int semicolon = separated.indexOf(';', from);
            int to = semicolon < 0 ? separated.length() : semicolon;
            String item = separated.substring(from, to).trim();
            if (!item.isEmpty()) {
                set.add(item);
            }
            from = to + 1;
        }
        return set;
    }
}
