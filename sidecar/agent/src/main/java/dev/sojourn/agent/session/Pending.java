package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import org.jspecify.annotations.Nullable;

/** A change of one attribute on its way to the store. */
final class Pending {
    final Attribute attribute;
    private final int stamp;
    final byte @Nullable [] bytes;

    Pending(Attribute attribute, int stamp, byte @Nullable [] bytes) {
        this.attribute = attribute;
        this.stamp = stamp;
        this.bytes = bytes;
    }

    Change change() {
        return new Change(attribute.name, bytes);
    }

    int size() {
        return bytes == null ? 0 : bytes.length;
    }

    void committed() {
        attribute.committed(stamp, bytes);
    }

    /** For good, until it is set anew. */
    @Nullable
    Pending keepLocal() {
        return attribute.keepLocal(stamp, attribute.stored(), System.nanoTime() + Long.MAX_VALUE / 2);
    }
}
