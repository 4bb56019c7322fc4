package dev.sojourn.agent.client;

import org.jspecify.annotations.Nullable;

/** One attribute of a session: its new bytes, or null for removed. */
public final class Change {
    public final String name;
    public final byte @Nullable [] value;

    public Change(String name, byte @Nullable [] value) {
        this.name = name;
        this.value = value;
    }
}
