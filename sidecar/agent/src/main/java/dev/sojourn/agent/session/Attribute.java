package dev.sojourn.agent.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One attribute: what the store holds of it, as far as this JVM knows, and the object that the application sees.
 *
 * <p>The application's own code (its {@code readObject} and {@code writeObject}) never runs under the monitor.
 */
final class Attribute {
    /** Names of the container's own values, which the application does not see. */
    static boolean isContainers(String name) {
        return !name.isEmpty() && name.charAt(0) == 0;
    }

    // An object that fails for a reason of its own must not cost every request for ever.
    private static final int MAX_TEARS = 5;

    final String name;

    // All guarded by this.
    private byte @Nullable [] stored;
    /** What this JVM writes of that while nobody changes it; null: of the object, which it has read, it does not know yet. */
    private byte @Nullable [] rewritten;

    private @Nullable Object value;
    /** What the object was when others' commit came in its place, until {@link #compareBehind} has found out whether it was changed here; null: there is nothing to find out. */
    private volatile @Nullable Picture behind;
    /** The object has come into this JVM, and does not know yet. */
    private @Nullable Arrival activating;
    /** Set or removed here since it was last committed. */
    private boolean dirty;
    /** Bytes of it were sent, and no answer has told what became of them: the store may hold them. */
    private boolean underWay;
    /** Counts sets and removals: a commit must not take what was set during it for committed. */
    private int stamp;
    /** This JVM cannot read the bytes, or not yet. */
    private @Nullable SetAside setAside;
    /** Cannot leave this JVM; tried again when set anew, or after {@link System#nanoTime}. */
    private boolean local;
    /** The object could not be written, and nothing says that it is another than what the store holds; tried again after {@link #retryAt}. */
    private boolean left;

    private long retryAt;
    /** Of the object's bytes this JVM would make none: what it holds is all that it will ever have of it. */
    private boolean refused;

    /** Commits in a row that could not write it, for a reason that may pass. */
    private int tears;

    /** A thread of no request has had the object, and may have it still. */
    private volatile boolean strayed;

    Attribute(String name, byte @Nullable [] stored) {
        this.name = name;
        this.stored = stored;
    }

    /** The live object; deserializes on first use. Null if removed or not readable here. */
    @Nullable
    Object read(Home home, SessionState.Host host) {
        while (true) {
            byte[] bytes;
            synchronized (this) {
                while (activating != null && activating.await(this)) {
                    // Whatever has become of it meanwhile.
                }
                if (value != null || stored == null || dirty) {
                    return value;
                }
                if (setAside != null && !setAside.isOver(home.requests.used())) {
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
        if (stored != bytes || value != null || dirty) {
            return false;
        }
        value = arrival.object;
        activating = arrival.isHeard() ? arrival : null;
        rewritten = arrival.rewritten;
        setAside = arrival.setAside;
        return true;
    }

    /** Exactly once per object, because only one thread can have published it. */
    private void arrived(Arrival arrival, SessionState.Host host) {
        try {
            arrival.tell(host);
        } finally {
            synchronized (this) {
                if (activating == arrival) {
                    activating = null;
                }
                notifyAll();
            }
        }
    }

    /** {@code compared}: the next commit compares it, as it does what was only read. */
    synchronized void set(Object to, boolean compared) {
        Object before = value;
        value = to;
        tears = 0;
        boolean same = before != null && (compared && before == to || Immutables.areEqual(before, to));
        left = false;
        if (same && stored != null && !dirty && !local) {
            // The store has these bytes, or what it has instead is found out.
            return;
        }
        behind = null;
        dirty = true;
        stamp++;
        setAside = null;
        local = false;
    }

    synchronized void remove() {
        value = null;
        behind = null;
        dirty = stored != null || underWay;
        stamp++;
        setAside = null;
        local = false;
        left = false;
    }

    /** False: neither here nor in the store; the entry can go. */
    synchronized boolean exists() {
        return value != null || stored != null || dirty && underWay;
    }

    void strayed() {
        strayed = true;
    }

    boolean hasStrayed() {
        return strayed;
    }

    /** Or it may be: nobody has found out yet. */
    synchronized boolean isDirty() {
        return dirty || behind != null;
    }

    /** The object may be none of what the store holds. */
    boolean isBehind() {
        return behind != null;
    }

    /** Lives only in this JVM: the session must not be evicted. */
    synchronized boolean isLocal() {
        return local && value != null;
    }

    /** All of it can be had from the store again. */
    synchronized boolean isStored() {
        return !isDirty() && (value == null || !local && !refused);
    }

    /** It was written. {@code refused}: that will be refused when it is read. */
    synchronized void canLeave(int at, boolean refused) {
        if (stamp == at) {
            // What is dirty may have to be removed from the store first.
            local &= dirty;
            left = false;
            this.refused = refused;
        }
    }

    /** The object, if it lives only in this JVM: here it is not any more. */
    synchronized @Nullable Object takeLocal() {
        Object taken = local ? value : null;
        if (taken != null) {
            value = null;
            behind = null;
            local = false;
            stamp++;
        }
        return taken;
    }

    /** Somebody else's commit. What was changed here and not committed yet stays: the last commit wins. {@code shared}: {@link #compareBehind} finds out whether it was. */
    synchronized void refresh(byte @Nullable [] theirs, boolean shared) {
        if (theirs != null && Arrays.equals(stored, theirs)) {
            // It was told anew. What a request in flight changes in the object that it has must not be lost.
            return;
        }
        if (!dirty && shared && value != null && !local && !Immutables.contains(value)) {
            behind = behind == null ? picture(value, false) : behind;
        } else if (!dirty) {
            forget();
        }
        stored = theirs;
        rewritten = null;
    }

    /** Whether the object that others' commit has come for was changed here. Runs the application's code, which may wait for whoever has the object. */
    void compareBehind(Home home) {
        Picture was = behind;
        if (was == null) {
            return;
        }
        boolean changed = was.isChanged(home);
        synchronized (this) {
            if (behind != was) {
                // It was set, or somebody else was faster.
                return;
            }
            behind = null;
            if (changed) {
                dirty = true;
                left = false;
                stamp++;
            } else {
                forget();
            }
        }
    }

    /** The object: what the store holds is another one. Guarded by this. */
    private void forget() {
        value = null;
        behind = null;
        setAside = null;
        local = false;
        left = false;
        refused = false;
    }

    /**
     * What a commit has to send of this attribute, or null if nothing. {@code everything}: the store has nothing of the
     * session yet. {@code shared}: other requests in flight use it.
     */
    @Nullable
    Pending pending(Home home, SessionState.Host host, @Nullable Draft draft, boolean everything, boolean shared) {
        Picture now;
        synchronized (this) {
            if (value == null) {
                return pendingBytes(everything);
            }
            if (behind != null) {
                // Who has the turn does not run the application's code for it: it is compared first.
                return everything && stored != null ? new Pending(this, stamp, stored) : null;
            }
            if (!everything && stored != null && !dirty && Immutables.contains(value)) {
                return null;
            }
            now = picture(value, everything);
            if (isResting()) {
                return local ? removal(now) : untouched(now);
            }
        }
        return (draft != null && draft.isOf(now) ? draft : Draft.of(now, home, host, shared)).pending(home);
    }

    /** As it is now, if {@link #pending} needs the application's code for it; null: that has nothing to do. */
    synchronized @Nullable Picture toWrite(boolean everything) {
        return value == null || behind != null || Immutables.contains(value) || isResting()
                ? null
                : picture(value, everything);
    }

    /** Guarded by this. */
    private Picture picture(Object object, boolean everything) {
        byte[] known = everything ? null : stored;
        return new Picture(
                this, object, stamp, known, known == null || dirty ? known : rewritten, dirty ? null : stored);
    }

    /** It cannot leave this JVM, and it is too early to try again. Guarded by this. */
    private boolean isResting() {
        return (local || left) && retryAt - System.nanoTime() > 0;
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
    @Nullable
    Pending keepLocal(int at, byte @Nullable [] known, long nextTry) {
        synchronized (this) {
            if (stamp == at) {
                local = true;
                behind = null;
                left = false;
                retryAt = nextTry;
                dirty = known != null;
            }
        }
        // What the store holds is no longer true, and other pods would believe it.
        return known == null ? null : new Pending(this, at, null);
    }

    /** It could not be written, and nothing says that it is another than what the store holds. It is not asked again until {@code nextTry}. */
    synchronized @Nullable Pending leave(Picture as, long nextTry) {
        if (!isStill(as)) {
            return null;
        }
        left = true;
        retryAt = nextTry;
        return untouched(as);
    }

    /** It may not leave this JVM, and is what the store holds. */
    synchronized @Nullable Pending leaveAsItWas(Picture as) {
        return isStill(as) ? untouched(as) : null;
    }

    /** Guarded by this. */
    private boolean isStill(Picture as) {
        return stamp == as.stamp && value == as.value && !isDirty();
    }

    /** It was found out before of what these bytes are read as: it cannot be written either. */
    synchronized boolean isLeft(byte[] was) {
        return left && stored == was;
    }

    /** The store has it, and this JVM cannot read it, as far as it has tried. */
    synchronized boolean isSetAside() {
        return setAside != null;
    }

    synchronized @Nullable Object inMemory() {
        return value;
    }

    synchronized String className() {
        return value == null ? "?" : value.getClass().getName();
    }

    synchronized byte @Nullable [] stored() {
        return stored;
    }

    /** Whatever has become of it counts as what the store holds. */
    void takeForStored(Home home) {
        Picture now;
        synchronized (this) {
            if (behind != null) {
                forget();
            }
            if (value == null || stored == null || dirty || local) {
                return;
            }
            now = picture(value, false);
        }
        byte[] bytes = now.written(home, false).bytes;
        synchronized (this) {
            if (value == now.value && stored == now.known && !dirty) {
                rewritten = bytes;
            }
        }
    }

    /** What the store holds, if it is still that, this JVM writes so. */
    synchronized void writes(byte[] known, byte @Nullable [] again) {
        if (stored == known) {
            rewritten = again;
        }
    }

    synchronized void committed(int at, byte @Nullable [] bytes) {
        if (!Arrays.equals(stored, bytes)) {
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
        if (shared && value != null && !Immutables.contains(value)) {
            behind = new Picture(this, value, at, bytes, bytes, bytes);
        } else {
            forget();
        }
    }

    synchronized void markDirty(int at) {
        if (stamp == at) {
            // Over what others have committed meanwhile.
            behind = null;
            dirty = true;
        }
    }

    synchronized void markSent(int at) {
        underWay = true;
        markDirty(at);
    }

    synchronized boolean mayPass(Written written) {
        return written.isTorn() || written.isPerhapsTorn() && ++tears < MAX_TEARS;
    }

    synchronized void settle(int at) {
        tears = 0;
        if (stamp == at) {
            dirty = false;
        }
    }

    /** Neither set nor sent since. */
    boolean changedInPlace(Home home) {
        Picture now;
        synchronized (this) {
            if (value == null || dirty || local) {
                return false;
            }
            now = behind == null ? picture(value, false) : behind;
        }
        return now.isChanged(home);
    }

    static String printable(String name) {
        return name.replace('\0', '~').replace('\n', ' ').replace('\r', ' ');
    }
}
