package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/** Where an attribute stands: what the store holds of it, as far as this JVM knows, and the object that the application sees. Nothing of the application's runs here. */
abstract class AttributeState {
    final String name;

    // All guarded by this.
    final LiveObject live = new LiveObject();
    byte @Nullable [] stored;
    /** What this JVM writes of that while nobody changes it; null: of the object, which it has read, it does not know yet. */
    byte @Nullable [] rewritten;
    /** Set or removed here since it was last committed. */
    boolean dirty;
    /** Counts how often the same object was set again: it may be another by then, and is to be compared. */
    int sets;
    /** So many of those are in what was written of it. */
    private int written;
    /** Bytes of it were sent, and no answer has told what became of them: the store may hold them. */
    boolean underWay;
    /** Counts the objects, and what was found to be changed: a commit must not take what came during it for committed. */
    int stamp;

    /** A thread of no request has had the object, and may have it still. */
    private volatile boolean strayed;

    AttributeState(String name, byte @Nullable [] stored) {
        this.name = name;
        this.stored = stored;
    }

    /** {@code compared}: the next commit compares it, as it does what was only read. */
    synchronized void set(Object to, boolean compared) {
        if (stored != null && !dirty && live.setAgain(to, compared)) {
            // The store has these bytes, or what it has instead is found out.
            sets += live.isMutable() ? 1 : 0;
            return;
        }
        replace(to);
        dirty = true;
    }

    synchronized void remove() {
        replace(null);
        dirty = stored != null || underWay;
    }

    /** Whatever was begun with the object before is not of this one. Guarded by this. */
    final void replace(@Nullable Object by) {
        live.replace(by);
        written = sets;
        stamp++;
    }

    /** False: neither here nor in the store; the entry can go. */
    synchronized boolean exists() {
        return live.value() != null || stored != null || dirty && underWay;
    }

    void strayed() {
        strayed = true;
    }

    boolean hasStrayed() {
        return strayed;
    }

    /** Or it may be: nobody has found out yet. */
    synchronized boolean isDirty() {
        return dirty || isBehind();
    }

    /** Whatever a request has in hand, it has said so. */
    synchronized boolean wasSet() {
        return sets != written || isDirty();
    }

    /** The object may be none of what the store holds. */
    boolean isBehind() {
        return live.behind() != null;
    }

    /** Lives only in this JVM: the session must not be evicted. */
    synchronized boolean isLocal() {
        return live.isLocal();
    }

    /** All of it can be had from the store again. */
    synchronized boolean isStored() {
        return !isDirty() && !live.isOnlyHere();
    }

    /** It was written. {@code refused}: that will be refused when it is read. */
    synchronized void canLeave(int at, boolean refused) {
        if (stamp == at) {
            live.canLeave(dirty, refused);
        }
    }

    /** The object, if it lives only in this JVM: here it is not any more. */
    synchronized @Nullable Object takeLocal() {
        Object taken = live.isLocal() ? live.value() : null;
        if (taken != null) {
            replace(null);
        }
        return taken;
    }

    /** It was found out before of what these bytes are read as: it cannot be written either. */
    synchronized boolean isLeft(byte[] was) {
        return live.isLeft() && stored == was;
    }

    /** The store has it, and this JVM cannot read it, as far as it has tried. */
    synchronized boolean isSetAside() {
        return live.isSetAside();
    }

    synchronized @Nullable Object inMemory() {
        return live.value();
    }

    synchronized String className() {
        Object value = live.value();
        return value == null ? "?" : value.getClass().getName();
    }

    synchronized byte @Nullable [] stored() {
        return stored;
    }

    /** What the store holds, if it is still that, this JVM writes so. */
    synchronized void writes(byte[] known, byte @Nullable [] again) {
        if (stored == known) {
            rewritten = again;
        }
    }

    synchronized void markDirty(int at) {
        if (stamp == at) {
            // Over what others have committed meanwhile.
            live.compared();
            dirty = true;
        }
    }

    synchronized void markSent(int at) {
        underWay = true;
        markDirty(at);
    }

    synchronized boolean mayPass(Written written) {
        return live.mayPass(written);
    }

    synchronized void settle(int at) {
        live.settle();
        if (stamp == at) {
            dirty = false;
        }
    }

    /** It is sent so, or is as it was. */
    synchronized void wrote(Picture as) {
        if (stamp == as.stamp) {
            written = as.sets;
        }
    }
}
