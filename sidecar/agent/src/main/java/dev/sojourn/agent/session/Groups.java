package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Wildcard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Attributes that share objects with one another: each group is one value in one stream, so that what was one object in one
 * JVM is one object in the next.
 *
 * <p>A group's value is a map of the JDK's, sorted so that equal content has equal bytes, under a name that holds the
 * group's patterns: it means the same on every pod, whatever that pod's own settings are.
 */
public final class Groups {
    public static final Groups NONE = new Groups(Collections.emptyMap());
    private static final String PREFIX = "\0group:";

    private final Map<String, List<Pattern>> byName;

    private Groups(Map<String, List<Pattern>> byName) {
        this.byName = byName;
    }

    /** {@code setting}: groups separated by semicolons, each of patterns separated by commas; {@code *} is any text. */
    public static Groups of(String setting) {
        Map<String, List<Pattern>> byName = new LinkedHashMap<>();
        for (String group : setting.split(";", -1)) {
            List<Pattern> patterns = new ArrayList<>();
            StringBuilder name = new StringBuilder(PREFIX);
            for (String item : group.split(",", -1)) {
                String pattern = item.trim();
                if (!pattern.isEmpty()) {
                    name.append(patterns.isEmpty() ? "" : ",").append(pattern);
                    patterns.add(Wildcard.compiled(pattern));
                }
            }
            if (!patterns.isEmpty()) {
                byName.put(name.toString(), patterns);
            }
        }
        return byName.isEmpty() ? NONE : new Groups(byName);
    }

    /** The name under which the attribute is kept together with others; null: it is kept alone. */
    @Nullable
    String nameFor(String attribute) {
        for (Map.Entry<String, List<Pattern>> group : byName.entrySet()) {
            for (Pattern pattern : group.getValue()) {
                if (pattern.matcher(attribute).matches()) {
                    return group.getKey();
                }
            }
        }
        return null;
    }

    static boolean isGroup(String name) {
        return name.startsWith(PREFIX);
    }

    static Map<String, Object> create() {
        return new ConcurrentSkipListMap<>();
    }

    /** The application's objects in an attribute's value. */
    static Collection<Object> objects(String attribute, Object value) {
        if (isGroup(attribute)) {
            return members(value).values();
        }
        return Attribute.isContainers(attribute) ? Collections.emptyList() : Collections.singletonList(value);
    }

    /** A class that every group's bytes name. */
    static String className() {
        return ConcurrentSkipListMap.class.getName();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> members(Object value) {
        return value instanceof ConcurrentSkipListMap ? (Map<String, Object>) value : Collections.emptyMap();
    }
}
