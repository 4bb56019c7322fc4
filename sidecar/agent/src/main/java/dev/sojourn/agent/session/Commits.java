package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** How one session's changes get into the store: one commit of this JVM after the other. */
final class Commits {
    private final Home home;
    private final SessionState session;
    private final Attributes attributes;
    private final Known known;
    /** Somebody else sets it all the time: what he sets last he commits himself. */
    private static final int MAX_DRAFTS = 4;

    /** Held over the conversation with the sidecar. */
    private final Turn turn = new Turn();

    Commits(Home home, SessionState session, Attributes attributes, Known known) {
        this.home = home;
        this.session = session;
        this.attributes = attributes;
        this.known = known;
    }

    /** What has to happen between two commits happens while this is taken. */
    Turn turn() {
        return turn;
    }

    /**
     * False if nobody answered: it is worth trying again. {@code touched} are those that may have been changed in place. With {@code later} it
     * may return before the answer is there: then {@code later} has begun. {@code passive}: it is no access, unless one waits that the store has not heard of,
     * or this creates the session. {@code lock}: of whoever commits, not of whoever has the session by now.
     */
    boolean commit(Set<Attribute> touched, long lock, boolean passive, @Nullable Later later) {
        return commit(touched, () -> lock, passive, later, () -> false);
    }

    /** {@link SessionState#commitSet}. */
    boolean commitSet(LongSupplier lock, boolean passive) {
        // Where none is any more nobody would look again at what waits.
        return commit(Collections.emptySet(), lock, passive, null, session::isInUse);
    }

    /** {@code lock} and {@code early} are asked once others are done, for it may be another request by then. {@code early}: {@link Drafts#early}. */
    private boolean commit(
            Set<Attribute> touched, LongSupplier lock, boolean passive, @Nullable Later later, BooleanSupplier early) {
        if (session.life().hasEnded() || !mayBeNeeded(touched)) {
            return true;
        }
        turn.take();
        boolean left = false;
        boolean answered = true;
        boolean unnoticed = passive && known.version() > 0 && !home.backlog.owesAccess(session);
        try {
            boolean soon = early.getAsBoolean();
            List<Pending> pending = pending(touched, soon);
            if (!session.life().hasEnded()
                    && (!pending.isEmpty() || known.version() == 0 || !session.isIdleCommitted())) {
                long by = lock.getAsLong();
                left = later != null && by == Opened.NO_LOCK && leave(pending, unnoticed, later);
                if (left) {
                    return true;
                }
                send(pending, by, unnoticed);
            }
            // What waits is still to be committed, and may be the backlog's.
            if (!soon || !attributes.anyDirty()) {
                sent(unnoticed);
            }
        } catch (Refusal e) {
            refused(e, unnoticed);
            answered = !e.later();
        } finally {
            if (!left) {
                turn.giveBack();
            }
        }
        compareBehind();
        return answered;
    }

    /** Others' commits that came with an answer may have come for objects that are here. Who has the objects may wait for the turn: not while it is taken. */
    private void compareBehind() {
        if (!turn.isOwn()) {
            attributes.compareBehind();
        }
    }

    /** False: it has ended. No access; what others have committed is taken, for it is told once. */
    boolean commitNothing() {
        turn.take();
        try {
            // Else it would be created.
            if (!session.life().hasEnded() && known.version() > 0) {
                send(Collections.emptyList(), session.lock(), true);
            }
        } catch (Refusal e) {
            refused(e, true);
        } finally {
            turn.giveBack();
        }
        compareBehind();
        return !session.life().hasEnded();
    }

    /**
     * As {@link #commit}, of what the backlog keeps, which lets go of it where nothing is left to send: it may have ended while its last commit was refused.
     */
    boolean catchUp() {
        boolean answered = commitSet(session::lock, true);
        turn.take();
        try {
            if (session.life().hasEnded() || !mayBeNeeded(Collections.emptySet())) {
                home.backlog.committed(session);
            }
            return answered;
        } finally {
            turn.giveBack();
        }
    }

    /**
     * What to send. An answer that was taken after all was written may have brought others' commits, and what is to be compared is looked at again; so is what somebody has set
     * since.
     */
    private List<Pending> pending(Set<Attribute> touched, boolean early) {
        for (int times = 1; ; times++) {
            Drafts drafts = drafts(touched, early, times >= MAX_DRAFTS);
            List<Pending> pending = attributes.pending(touched, drafts, known.version() == 0, session.isShared());
            boolean again = attributes.isBehind() || drafts.areMissed() && times < MAX_DRAFTS;
            if (!again || !turn.isTakenOnce() || Comparison.isAtWork()) {
                return pending;
            }
        }
    }

    /**
     * Written by the application's code, which may wait for a thread of its own that waits for this turn, in a {@code synchronized} block around a loop over a
     * map, say: then that one commits first, and all is looked at again. By the owner of the turn, and who returns from here has it.
     */
    private Drafts drafts(Set<Attribute> touched, boolean early, boolean last) {
        if (!turn.isTakenOnce()) {
            return new Drafts(early, true, last);
        }
        while (true) {
            Drafts drafts = new Drafts(early, false, last);
            boolean kept = false;
            turn.lend();
            try {
                attributes.draft(drafts, touched, known.version() == 0, session.isShared());
            } finally {
                kept = turn.keep();
                if (!kept) {
                    turn.take();
                }
            }
            if (kept) {
                return drafts;
            }
        }
    }

    private boolean mayBeNeeded(Set<Attribute> touched) {
        return !touched.isEmpty() || known.version() == 0 || attributes.perhapsDirty() || !session.isIdleCommitted();
    }

    private void send(List<Pending> pending, long lock, boolean passive) throws Refusal {
        CommitBatches batches = new CommitBatches(home, pending, known.version() == 0);
        while (!batches.isDone()) {
            CommitTerms terms = terms(lock, passive);
            announce(terms);
            batches.next(
                    changes -> home.sidecar.commit(session.name(), terms, changes),
                    (answer, sent) -> known.landed(answer, sent, terms, session.isInUse(), true));
        }
    }

    private void announce(CommitTerms terms) {
        if (terms.base == 0) {
            known.announced();
        }
    }

    private CommitTerms terms(long lock, boolean passive) {
        return new CommitTerms(known.version(), session.idleSeconds(), session.createdAt(), lock, passive);
    }

    /** What creates it, and nothing in it. */
    CommitTerms creation() {
        return terms(Opened.NO_LOCK, false);
    }

    /** Sends without waiting for the answer; false: nothing was done. */
    private boolean leave(List<Pending> pending, boolean passive, Later later) {
        if (!turn.isTakenOnce()) {
            return false;
        }
        List<Change> changes = new CommitBatches(home, pending, known.version() == 0).atOnce();
        if (changes == null) {
            return false;
        }
        CommitTerms terms = terms(Opened.NO_LOCK, passive);
        announce(terms);
        later.begin();
        session.acquire();
        turn.leave();
        boolean begun = false;
        try {
            LeftCommit left = new LeftCommit(this, home.late, pending, terms, later);
            begun = home.sidecar.beginCommit(session.name(), terms, changes, left);
            return begun;
        } finally {
            // Whatever was thrown: nobody else would ever let the response go.
            if (!begun) {
                turn.takeLeft();
                session.release();
                later.end();
            }
        }
    }

    /** The answer to what was left. False: to be done again by a thread that {@code mayWait}. */
    boolean landed(Committed answer, List<Pending> pending, CommitTerms terms, boolean mayWait) {
        boolean landed = known.landed(answer, pending, terms, session.isInUse(), mayWait);
        if (landed) {
            sent(terms.passive);
        }
        return landed;
    }

    /** What was left did not get there, or not like that. By a thread that may wait. */
    void notLanded(Refusal refusal, List<Pending> pending, boolean passive) {
        try {
            if (refusal.why != Refusal.Why.AWAY
                    && refusal.why != Refusal.Why.MISSING
                    && refusal.why != Refusal.Why.TOO_LARGE) {
                throw refusal;
            }
            send(pending, Opened.NO_LOCK, passive);
            sent(passive);
        } catch (Refusal e) {
            refused(e, passive);
        }
    }

    /**
     * What was left is over. What others have committed may be there to be compared: that is for the backlog, for a response waits here, and the application's code
     * may never come to an end.
     */
    void left() {
        turn.giveBackLeft();
        session.release();
        if (attributes.perhapsDirty() && attributes.anyBehind()) {
            home.backlog.uncommitted(session, true);
        }
    }

    /** Nobody can say what became of what was left. */
    void unanswered(boolean passive) {
        home.backlog.uncommitted(session, passive);
    }

    private void sent(boolean passive) {
        if (attributes.isTorn() && !session.life().hasEnded()) {
            // Once that other thread is done, though no request may come.
            home.backlog.uncommitted(session, passive);
        } else {
            home.backlog.committed(session);
        }
    }

    void refused(Refusal refusal, boolean passive) {
        if (refusal.why == Refusal.Why.BUSY) {
            Log.warn("changes are dropped, another request has taken the session over while this pod was paused or cut"
                    + " off: context=" + home.label() + "; see concurrency=exclusive");
        }
        if (refusal.why == Refusal.Why.GONE || refusal.why == Refusal.Why.BUSY) {
            session.lost();
        } else if (refusal.later()) {
            home.backlog.uncommitted(session, passive);
        }
    }
}
