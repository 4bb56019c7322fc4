package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Ticket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** What this JVM knows of one session in the store: the version that its attributes are of, and whether that is the newest. */
final class Known {
    /** The protocol's: for so long an access may stay untold. */
    private static final long UNTOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Attributes attributes;
    /** Held while an answer is taken: version and attributes change together. Nothing of the application's runs meanwhile. */
    private final ReentrantLock taking = new ReentrantLock();

    /** When an answer last showed that the store knows of an access; {@link System#nanoTime}. None has yet. */
    private volatile long lastTold = System.nanoTime() - UNTOLD_NANOS;
    /** Null: the sidecar has to be asked whether the version here is the newest. */
    private volatile @Nullable Ticket ticket;

    private volatile int idle;
    /** 0: nobody has said yet that the store has anything of it. Written under the lock. */
    private volatile long version;
    /** What the attributes are of: an older version where a new name's came without what others had committed. Guarded by the lock. */
    private long content;
    /** What creates it has been sent, whether that got there or not. */
    private volatile boolean announced;

    Known(Attributes attributes) {
        this.attributes = attributes;
    }

    long version() {
        return version;
    }

    /** What creates it leaves now. */
    void announced() {
        announced = true;
    }

    /** Perhaps it is in the store, and the answer that said so was lost. */
    boolean isUnsure() {
        return version == 0 && announced;
    }

    /** The idle time that the store has; seconds, -1 for never. */
    int idle() {
        return idle;
    }

    /** True: at this moment nobody has a newer version. False: one has to ask. */
    boolean isNewest() {
        Ticket at = ticket;
        long held = version;
        return at != null && held > 0 && nanosSinceTold() < UNTOLD_NANOS && at.saysNewest(held);
    }

    /** What the sidecar has told of what became of the version here; null: one has to ask. */
    @Nullable
    Opened news() {
        Ticket at = ticket;
        long held = version;
        return at == null || held == 0 ? null : at.after(held);
    }

    /** Since the store last heard of an access. */
    long nanosSinceTold() {
        return System.nanoTime() - lastTold;
    }

    /** False: the answer consists of deltas of other bytes than those here. {@code shared}: requests in flight use it. */
    boolean opened(Opened answer, long held, boolean shared) {
        lastTold = System.nanoTime();
        return told(answer, held, shared);
    }

    /** As {@link #opened}, of what nobody has asked for: the store does not know of this access. */
    boolean told(Opened answer, long held, boolean shared) {
        taking.lock();
        try {
            ticket = answer.ticket;
            boolean replaces = answer.changes.whole || answer.version < held;
            boolean instead = held > 0 && replaces && version == held || isAllOfThis(answer.version, answer.changes);
            // An answer under the old name may come after the new one's number, and tell what that left out.
            boolean leftOut = held <= content && answer.version > content;
            if (answer.version <= version && !instead && !leftOut) {
                // A commit or another request's answer was faster and knows more.
                return true;
            }
            List<Change> changes = attributes.resolved(answer.changes.list);
            if (changes == null) {
                return false;
            }
            attributes.apply(changes, held == 0 || replaces, shared);
            version = instead ? answer.version : Math.max(answer.version, version);
            content = answer.version;
            idle = answer.idle;
            return true;
        } finally {
            taking.unlock();
        }
    }

    /**
     * The answer to what was sent. False: another thread takes an answer just now, or has taken one that knows more, and then there are objects to be compared; to be
     * done again by one that {@code mayWait}.
     */
    boolean landed(Committed answer, List<Pending> sent, CommitTerms terms, boolean shared, boolean mayWait) {
        if (mayWait) {
            taking.lock();
        } else if (!taking.tryLock()) {
            return false;
        }
        try {
            boolean overtaken = answer.version <= version;
            if (overtaken && !mayWait) {
                return false;
            }
            attributes.landed(sent, overtaken, shared);
            committed(answer, terms, shared);
            return true;
        } finally {
            taking.unlock();
        }
    }

    private void committed(Committed answer, CommitTerms terms, boolean shared) {
        if (!terms.passive) {
            lastTold = System.nanoTime();
        }
        idle = terms.idle;
        boolean instead = answer.others.whole && version == terms.base || isAllOfThis(answer.version, answer.others);
        if (answer.version > version || instead) {
            attributes.apply(answer.others.list, answer.others.whole, shared);
            version = answer.version;
            content = version;
        }
    }

    /** Everything is told once. Another answer of the same version, of what changed only, may have been taken before it, and lacked something. */
    private boolean isAllOfThis(long answered, Changes changes) {
        return changes.whole && answered == version;
    }

    /** It goes on under another name. */
    void renamed() {
        ticket = null;
    }

    /** Under its new name it has this version; 0: the store has nothing under that name. */
    void renamedAt(long there) {
        taking.lock();
        version = there;
        content = Math.min(content, there);
        announced = false;
        taking.unlock();
    }
}
