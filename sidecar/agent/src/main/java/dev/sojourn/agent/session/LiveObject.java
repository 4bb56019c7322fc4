package dev.sojourn.agent.session;

import org.jspecify.annotations.Nullable;

/**
 * An attribute's object in this JVM, if there is one, and what is known of it: all of that goes with it. Guarded by the attribute's monitor, but for {@link #behind}.
 */
final class LiveObject {
    // An object that fails for a reason of its own must not cost every request for ever.
    private static final int MAX_TEARS = 5;

    private @Nullable Object value;
    /** This JVM cannot read the store's bytes, or not yet: there is none. */
    private @Nullable SetAside setAside;
    /** It has come into this JVM, and does not know yet. */
    private @Nullable Arrival activating;
    /** What it was when others' commit came in its place, until somebody has found out whether it was changed here; null: there is nothing to find out. */
    private volatile @Nullable Picture behind;
    /** Cannot leave this JVM; tried again when set anew, or after {@link System#nanoTime}. */
    private boolean local;
    /** It could not be written, and nothing says that it is another than what the store holds; tried again after {@link #retryAt}. */
    private boolean left;

    private long retryAt;
    /** It could not be written while a request is at it, and may be when that ends; tried again after {@link #waitsUntil}, if nobody else does. */
    private boolean waits;

    private long waitsUntil;
    /** Of its bytes this JVM would make none: what it holds is all that it will ever have of it. */
    private boolean refused;

    /** Commits in a row that could not write it, for a reason that may pass. */
    private int tears;

    @Nullable
    Object value() {
        return value;
    }

    /** Another one takes its place, or none. */
    void replace(@Nullable Object by) {
        if (value != by) {
            activating = null;
        }
        value = by;
        setAside = null;
        compared();
        local = false;
        left = false;
        waits = false;
        refused = false;
        tears = 0;
    }

    void arrive(Arrival arrival) {
        replace(arrival.object);
        activating = arrival.isHeard() ? arrival : null;
        setAside = arrival.setAside;
    }

    /** It has been told that it is here. */
    void told(Arrival arrival) {
        if (activating == arrival) {
            activating = null;
        }
    }

    /** Returns once it knows that it is here, or somebody has waited long enough for that. {@code monitor}: held. */
    void awaitTold(Object monitor) {
        for (Arrival now = activating; now != null && now.await(monitor); now = activating) {
            // Whatever has become of it meanwhile.
        }
    }

    /** The same one; false: it is another, or lives only in this JVM. {@code compared}: the next commit compares it, as it does what was only read. */
    boolean setAgain(Object to, boolean compared) {
        Object before = value;
        if (before == null || local || !(compared && before == to || Immutables.areEqual(before, to))) {
            return false;
        }
        value = to;
        left = false;
        waits = false;
        tears = 0;
        Picture was = behind;
        if (was != null) {
            // Who compares it just now may have done so before it was changed.
            behind = was.again();
        }
        return true;
    }

    boolean isSetAside() {
        return setAside != null;
    }

    /** {@code now}: the request that asks; null: a thread of none. */
    boolean mayBeRead(@Nullable Scope now) {
        SetAside why = setAside;
        return why == null || why.isOver(now);
    }

    /** By anybody, at any time. */
    @Nullable
    Picture behind() {
        return behind;
    }

    /** Others' commit has come in its place. */
    void fallBehind(Picture was) {
        behind = was;
    }

    /** It is what was changed here, or what the store has. */
    void compared() {
        if (behind != null) {
            behind = null;
        }
    }

    boolean isLocal() {
        return local && value != null;
    }

    boolean isMutable() {
        return value != null && !Immutables.contains(value);
    }

    /** There is more to it than what the store has, or could give back. */
    boolean isOnlyHere() {
        return value != null && (local || refused);
    }

    /** It could not be written, or may not leave, and it is too early to try again. */
    boolean isResting() {
        return (local || left) && retryAt - System.nanoTime() > 0;
    }

    boolean isWaiting() {
        return waits && waitsUntil - System.nanoTime() > 0;
    }

    void awaitUntil(long nextTry) {
        waits = true;
        waitsUntil = nextTry;
    }

    boolean isLeft() {
        return left;
    }

    void keepLocal(long nextTry) {
        compared();
        local = true;
        left = false;
        retryAt = nextTry;
    }

    void leave(long nextTry) {
        left = true;
        retryAt = nextTry;
    }

    /** It was written. {@code refused}: that will be refused when it is read. {@code dirty}: what the store has of it may have to be removed first. */
    void canLeave(boolean dirty, boolean refused) {
        local &= dirty;
        left = false;
        this.refused = refused;
    }

    /** It was changed here. */
    void changed() {
        compared();
        left = false;
    }

    /** Nobody was changing it. */
    void settle() {
        tears = 0;
    }

    boolean mayPass(Written written) {
        return written.isTorn() || written.isPerhapsTorn() && ++tears < MAX_TEARS;
    }
}
