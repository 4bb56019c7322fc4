package dev.sojourn.agent.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attributes by name: what changed since the version that was held, or everything there is. */
public final class Changes {
    public final boolean whole;
    public final List<Change> list;

    public Changes(boolean whole, List<Change> list) {
        this.whole = whole;
        this.list = list;
    }

    /** These, and then others: each attribute once; null where they do not follow each other. */
    @Nullable
    Changes and(Changes later) {
        if (later.whole || list.isEmpty()) {
            return new Changes(whole || later.whole, later.list);
        }
        Map<String, Change> byName = new LinkedHashMap<>();
        for (Change change : list) {
            byName.put(change.name, change);
        }
        for (Change change : later.list) {
            Change before = byName.get(change.name);
            Change both = before == null ? change : before.and(change);
            if (both == null) {
                return null;
            }
            byName.put(change.name, both);
        }
        return new Changes(whole, new ArrayList<>(byName.values()));
    }
}
