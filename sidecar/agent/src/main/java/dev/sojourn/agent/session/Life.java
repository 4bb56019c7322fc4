package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Refusal;

/** How one session begins in the store, goes on there under other names, and ends. */
public final class Life {
    private final Home home;
    private final SessionState session;
    private final Known known;
    private final Commits commits;

    private volatile String name;
    private volatile boolean ended;

    Life(Home home, SessionState session, Known known, Commits commits, String name) {
        this.home = home;
        this.session = session;
        this.known = known;
        this.commits = commits;
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Just created here: to be committed even without an attribute. */
    public void created() {
        Scope scope = home.requests.current();
        if (scope == null) {
            home.backlog.uncommitted(session, true);
        } else {
            scope.use(session);
        }
    }

    /** It was created in the store, under this name and without anything of it. */
    public void begun(String there) {
        commits.turn().take();
        try {
            name = there;
            known.announced();
        } finally {
            commits.turn().giveBack();
        }
    }

    /** A new name for the same session, in the store too. Returns the one before: another thread may have renamed it just now. */
    public String rename(String renamed) {
        commits.turn().take();
        String old = name;
        try {
            if (!renamed.equals(old)) {
                rename(old, renamed);
            }
        } catch (Refusal e) {
            renameRefused(e, old);
        } catch (RuntimeException | Error e) {
            // The store may never have heard of the new one; what has the old one gets there in any case.
            name = old;
            throw e;
        } finally {
            commits.turn().giveBack();
        }
        return old;
    }

    private void rename(String old, String renamed) throws Refusal {
        if (known.isUnsure()) {
            // Somebody else may have changed it by now, or ended it.
            session.commit();
        }
        name = renamed;
        known.renamed();
        if (known.isUnsure() && !ended) {
            // Nobody answers still: it is created anew under its new name.
            home.backlog.endLater(old, commits.creation());
            known.renamedAt(0);
        } else if (known.version() > 0 && !ended) {
            long there = home.sidecar.rename(old, renamed, known.version());
            // What others committed in between comes whole with the next opening: the sidecar knows what we lacked.
            known.renamedAt(Math.max(there, 1));
        }
    }

    /** It goes on under its new name as if it were new; the old one ends as soon as somebody listens. */
    private void renameRefused(Refusal refusal, String old) {
        if (refusal.later()) {
            known.renamedAt(0);
            // Under the new one it may be there.
            known.announced();
            home.backlog.endLater(old);
            home.backlog.uncommitted(session, false);
        } else {
            commits.refused(refusal, false);
        }
    }

    /** Ends it for good, here and in the store, before this returns. True: it was this that ended it, as far as anybody says. */
    public boolean end() {
        commits.turn().take();
        boolean first = !ended;
        boolean over;
        try {
            ended = true;
            over = first && endInStore();
        } catch (RuntimeException | Error e) {
            if (first && !home.backlog.isEnding(name)) {
                // Whoever ends it again would be told that it is over, and the store would never be.
                ended = false;
            }
            throw e;
        } finally {
            commits.turn().giveBack();
        }
        // Not before: what is to be committed of one that could not end is the backlog's still.
        home.backlog.committed(session);
        return over;
    }

    private boolean endInStore() {
        if (known.isUnsure()) {
            return home.backlog.end(name, commits.creation());
        }
        return known.version() == 0 || home.backlog.endWherever(name);
    }

    /** It has ended elsewhere: nothing is to be said to the store any more. */
    public void endedElsewhere() {
        ended = true;
        home.backlog.committed(session);
    }

    public boolean hasEnded() {
        return ended;
    }

    /**
     * Whether it goes on though the store has none of this name: another pod may have given it another one, which nobody tells. Then what is committed by the old
     * one still gets there: so does nothing at all, which this commits. Where nobody answers it may.
     */
    public boolean goesOn() {
        return commits.commitNothing();
    }

    /** Whether the store has none of this name, not even one that is being given it. No access. */
    public boolean isGone() throws Refusal {
        commits.turn().take();
        String asked = name;
        commits.turn().giveBack();
        return known.version() > 0 && !session.ask() && asked.equals(name);
    }
}
