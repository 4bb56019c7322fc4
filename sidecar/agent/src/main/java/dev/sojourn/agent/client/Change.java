package dev.sojourn.agent.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One attribute of a session: its new bytes, or deltas that lead to them, or null for removed. */
public final class Change {
    public final String name;
    public final byte @Nullable [] value;
    /** To be applied one after the other to the value that is held; then {@code value} is null. */
    public final @Nullable List<byte[]> deltas;

    public Change(String name, byte @Nullable [] value) {
        this(name, value, null);
    }

    private Change(String name, byte @Nullable [] value, @Nullable List<byte[]> deltas) {
        this.name = name;
        this.value = value;
        this.deltas = deltas;
    }

    public static Change by(String name, List<byte[]> deltas) {
        return new Change(name, null, deltas);
    }

    /** This one, and then another of the same attribute; null if this one is not what that one was made from. */
    @Nullable
    Change and(Change later) {
        if (later.deltas == null) {
            return later;
        }
        if (deltas == null) {
            return later.resolved(value);
        }
        List<byte[]> all = new ArrayList<>(deltas);
        all.addAll(later.deltas);
        return by(name, all);
    }

    /** The same with its value, from the one that is held; null if the deltas were made from another one. */
    public @Nullable Change resolved(byte @Nullable [] held) {
        if (deltas == null) {
            return this;
        }
        byte[] value = held == null ? null : Delta.apply(held, deltas);
        return value == null ? null : new Change(name, value);
    }
}
