package dev.sojourn.agent.client;

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

    /** The same with its value, from the one that is held; null if the deltas were made from another one. */
    public @Nullable Change resolved(byte @Nullable [] held) {
        if (deltas == null) {
            return this;
        }
        byte[] value = held;
        for (byte[] delta : deltas) {
            value = value == null ? null : Delta.apply(value, delta);
        }
        return value == null ? null : new Change(name, value);
    }
}
