package dev.sojourn.agent.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One attribute: how its object comes into this JVM, is compared and gets into the store.
 *
 * <p>The application's own code (its {@code readObject} and {@code writeObject}) never runs under the monitor.
 */
final class Attribute extends AttributeState {
    /** Of one object for one commit of others': for whoever waits for it. */
    private static final int MAX_COMPARISONS = 4;

    /** Names of the container's own values, which the application does not see. */
    static boolean isContainers(String name) {
        return !name.isEmpty() && name.charAt(0) == 0;
    }

    Attribute(String name, byte @Nullable [] stored) {
        super(name, stored);
    }

    /** The live object; deserializes on first use. Null if removed or not readable here. */
    @Nullable
    Object read(Home home, SessionState.Host host) {
        while (true) {
            byte[] bytes;
            synchronized (this) {
                live.awaitTold(this);
                if (live.value() != null || stored == null || dirty) {
                    return live.value();
                }
                if (!live.mayBeRead(home.requests.used())) {
                    return null;
                }
                bytes = stored;
            }
            Arrival arrival = Arrival.of(name, bytes, home, host);
            if (publish(bytes, arrival)) {
                if (arrival.isHeard()) {
                    arrived(arrival, host);
                }
                return arrival.object;
            }
        }
    }

    /** False: somebody else read, set or refreshed it in the meantime; theirs counts. */
    private synchronized boolean publish(byte[] bytes, Arrival arrival) {
        if (stored != bytes || live.value() != null || dirty) {
            return false;
        }
        live.arrive(arrival);
        rewritten = arrival.rewritten;
        return true;
    }

    /** Exactly once per object, because only one thread can have published it. */
    private void arrived(Arrival arrival, SessionState.Host host) {
        try {
            arrival.tell(host);
        } finally {
            synchronized (this) {
                live.told(arrival);
                notifyAll();
            }
        }
    }

    /** Somebody else's commit. What was changed here and not committed yet stays: the last commit wins. {@code shared}: {@link #compareBehind} finds out whether it was. */
    synchronized void refresh(byte @Nullable [] theirs, boolean shared) {
        if (theirs != null && Arrays.equals(stored, theirs)) {
            // It was told anew. What a request in flight changes in the object that it has must not be lost.
            return;
        }
        if (!dirty) {
            giveWay(shared);
        }
        stored = theirs;
        rewritten = null;
    }

    /** To what the store holds now. The object is as it was stored, or was changed in place by a request that has it. Guarded by this. */
    private void giveWay(boolean shared) {
        Object value = live.value();
        if (shared && value != null && live.isMutable() && !live.isLocal()) {
            Picture before = live.behind();
            live.fallBehind(before == null ? picture(value, false) : before);
        } else {
            replace(null);
        }
    }

    /** Whether the object that others' commit has come for was changed here. Runs the application's code, which may wait for whoever has the object. */
    void compareBehind(Home home) {
        Picture was = live.behind();
        for (int times = 1; was != null; times++) {
            // Who sets it all the time has it changed.
            was = compared(was, times > MAX_COMPARISONS || was.isChanged(home));
        }
    }

    /** Returns what is to be compared instead: it was set meanwhile as it is, and may have been changed before that. */
    private synchronized @Nullable Picture compared(Picture was, boolean changed) {
        Picture now = live.behind();
        if (now == was) {
            compared(changed);
            return null;
        }
        // Else another was set, or somebody else was faster.
        return now != null && now.isSame(was) ? now : null;
    }

    /** Guarded by this. */
    private void compared(boolean changed) {
        if (changed) {
            live.changed();
            dirty = true;
            stamp++;
        } else {
            replace(null);
        }
    }

    /**
     * What a commit has to send of this attribute, or null if nothing, or if it waits: {@link Drafts}. {@code everything}: the store has nothing of the
     * session yet. {@code shared}: other requests in flight use it.
     */
    @Nullable
    Pending pending(Home home, SessionState.Host host, Drafts drafts, boolean everything, boolean shared) {
        Picture now;
        synchronized (this) {
            Object value = live.value();
            if (value == null) {
                return pendingBytes(everything);
            }
            if (isBehind()) {
                // Who has the turn does not run the application's code for it: it is compared first.
                return everything && stored != null ? new Pending(this, stamp, stored) : null;
            }
            if (!everything && stored != null && !dirty && !live.isMutable()) {
                return null;
            }
            now = picture(value, everything);
            if (live.isResting()) {
                return live.isLocal() ? removal(now) : untouched(now);
            }
            if (drafts.early && live.isWaiting()) {
                return null;
            }
        }
        if (Immutables.contains(now.value)) {
            return Draft.of(now, home, host, shared).pending(home);
        }
        Draft draft = drafts.of(now);
        if (draft == null) {
            return drafts.mayWriteNow() ? Draft.of(now, home, host, shared).pending(home) : null;
        }
        if (drafts.early && !draft.isWritten()) {
            await(now, draft);
            return null;
        }
        return draft.pending(home);
    }

    /** No early commit asks again too soon for what has just failed. */
    private synchronized void await(Picture failed, Draft draft) {
        if (stamp == failed.stamp && !draft.mayPass()) {
            live.awaitUntil(draft.retryAt());
        }
    }

    /** As it is now, if {@link #pending} needs the application's code for it; null: that has nothing to do. */
    synchronized @Nullable Picture toWrite(boolean early, boolean everything) {
        Object value = live.value();
        return value == null || isBehind() || !live.isMutable() || live.isResting() || early && live.isWaiting()
                ? null
                : picture(value, everything);
    }

    /** Guarded by this. */
    private Picture picture(Object object, boolean everything) {
        byte[] known = everything ? null : stored;
        return new Picture(
                this, object, stamp, sets, known, known == null || dirty ? known : rewritten, dirty ? null : stored);
    }

    /** Guarded by this. */
    private @Nullable Pending removal(Picture now) {
        return dirty && !now.isOfNone() ? new Pending(this, stamp, null) : null;
    }

    /** The store keeps what it has of it, and gets that where it has nothing of the session. Guarded by this. */
    private @Nullable Pending untouched(Picture now) {
        return now.isOfNone() && stored != null ? new Pending(this, stamp, stored) : null;
    }

    /** Without an object here: a removal, or bytes that nobody has read yet. */
    private @Nullable Pending pendingBytes(boolean everything) {
        if (everything && dirty) {
            stored = null;
        }
        if (stored == null && !underWay) {
            dirty = false;
            return null;
        }
        return dirty || everything ? new Pending(this, stamp, dirty ? null : stored) : null;
    }

    /** It cannot leave this JVM, at least until {@code nextTry}. */
    synchronized @Nullable Pending keepLocal(int at, byte @Nullable [] known, long nextTry) {
        if (stamp != at) {
            return null;
        }
        live.keepLocal(nextTry);
        dirty = known != null;
        // What the store holds is no longer true, and other pods would believe it.
        return known == null ? null : new Pending(this, at, null);
    }

    /** It could not be written, and nothing says that it is another than what the store holds. It is not asked again until {@code nextTry}. */
    synchronized @Nullable Pending leave(Picture as, long nextTry) {
        if (!isStill(as)) {
            return null;
        }
        live.leave(nextTry);
        return untouched(as);
    }

    /** It may not leave this JVM, and is what the store holds. */
    synchronized @Nullable Pending leaveAsItWas(Picture as) {
        return isStill(as) ? untouched(as) : null;
    }

    /** Guarded by this. */
    private boolean isStill(Picture as) {
        return stamp == as.stamp && live.value() == as.value && !isDirty();
    }

    /** Whatever has become of it counts as what the store holds. */
    void takeForStored(Home home) {
        Picture now;
        synchronized (this) {
            if (isBehind()) {
                replace(null);
            }
            Object value = live.value();
            if (value == null || stored == null || dirty || live.isLocal()) {
                return;
            }
            now = picture(value, false);
        }
        byte[] bytes = now.written(home, false).bytes;
        synchronized (this) {
            if (live.value() == now.value && stored == now.known && !dirty) {
                rewritten = bytes;
            }
        }
    }

    /** {@code shared}: requests in flight use it. */
    synchronized void committed(int at, byte @Nullable [] bytes, boolean shared) {
        if (!Arrays.equals(stored, bytes)) {
            if (stamp != at && !dirty) {
                // It was read of what others had committed before.
                giveWay(shared);
            }
            stored = bytes;
            rewritten = bytes;
        }
        underWay = false;
        settle(at);
    }

    /** As {@link #committed}, and what is known of the store is newer than that. {@code shared}: requests in flight use it. */
    synchronized void overtaken(int at, byte @Nullable [] bytes, boolean shared) {
        underWay = false;
        settle(at);
        if (stamp != at || Arrays.equals(stored, bytes)) {
            return;
        }
        Object value = live.value();
        if (shared && value != null && live.isMutable()) {
            live.fallBehind(new Picture(this, value, at, sets, bytes, bytes, bytes));
        } else {
            replace(null);
        }
    }

    /** Neither set nor sent since. */
    boolean changedInPlace(Home home) {
        Picture now;
        synchronized (this) {
            Object value = live.value();
            if (value == null || dirty || live.isLocal()) {
                return false;
            }
            Picture behind = live.behind();
            now = behind == null ? picture(value, false) : behind;
        }
        return now.isChanged(home);
    }

    static String printable(String name) {
        return name.replace('\0', '~').replace('\n', ' ').replace('\r', ' ');
    }
}
