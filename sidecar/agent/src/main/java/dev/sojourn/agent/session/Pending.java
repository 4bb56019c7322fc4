package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Delta;
import java.util.Collections;
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

    /** {@code whole}: the sidecar does not hold what a delta would be made from. */
    Change change(boolean whole) {
        byte[] known = whole || bytes == null ? null : attribute.stored();
        byte[] delta = known == null || bytes == null ? null : Delta.between(known, bytes);
        return delta == null
                ? new Change(attribute.name, bytes)
                : Change.by(attribute.name, Collections.singletonList(delta));
    }

    int size() {
        return bytes == null ? 0 : bytes.length;
    }

    void committed(boolean shared) {
        attribute.committed(stamp, bytes, shared);
    }

    /** Committed, and since then by others: an answer that was taken before this one's says with what. */
    void overtaken(boolean shared) {
        attribute.overtaken(stamp, bytes, shared);
    }

    /** For good, until it is set anew. */
    @Nullable
    Pending keepLocal() {
        return attribute.keepLocal(stamp, attribute.stored(), System.nanoTime() + Long.MAX_VALUE / 2);
    }
}
