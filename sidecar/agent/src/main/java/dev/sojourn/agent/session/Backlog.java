package dev.sojourn.agent.session;

import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Log;
import java.lang.ref.ReferenceQueue;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What could not be told to the store yet: told as soon as somebody answers. */
public final class Backlog {
    /** A request that is in flight for so many looks is a stream or a long poll, which may commit nothing for hours. */
    static final int PATIENCE = 4;

    final Notes notes;
    final LateCommits late = new LateCommits();
    private final Sidecar sidecar;
    /** With how often each was found in use. */
    private final Map<SessionState, Integer> uncommitted = new ConcurrentHashMap<>();

    private final Map<String, Ending> ends = new ConcurrentHashMap<>();
    /** Sessions touched by threads that belong to no request, as far as one can tell. */
    private final Set<SessionState> strays = ConcurrentHashMap.newKeySet();
    /** At those that ever were. */
    private final Set<Look> looks = ConcurrentHashMap.newKeySet();
    /** Those of them whose session nobody has any more. */
    private final ReferenceQueue<SessionState> unheld = new ReferenceQueue<>();

    public Backlog(Sidecar sidecar) {
        this.sidecar = sidecar;
        this.notes = new Notes(sidecar);
    }

    void uncommitted(SessionState session) {
        uncommitted.putIfAbsent(session, 0);
    }

    /** Sessions of which something is still to be committed. */
    int waiting() {
        return uncommitted.size();
    }

    /** Sessions that are looked at now and then. */
    int lookedAt() {
        return looks.size();
    }

    void committed(SessionState session) {
        uncommitted.remove(session);
    }

    void stray(SessionState session) {
        strays.add(session);
    }

    /** From now on it is looked at now and then, as long as somebody has it. */
    Look lookAt(SessionState session) {
        return keep(new Look(session, unheld));
    }

    Look keep(Look look) {
        looks.add(look);
        return look;
    }

    /**
     * Synchronous if anybody answers. If not, the end is remembered: a logout must not be undone by an outage. False: it was over already, and whoever ended
     * it tells the listeners; where nobody says so, nobody else may have.
     */
    public boolean end(String name) {
        return end(name, new Ending(null, false));
    }

    /**
     * The same, of what may have been created, or be on its way still: {@code creation} is sent again, for only a session that is there leaves a tombstone,
     * which keeps out what comes late.
     */
    boolean end(String name, CommitTerms creation) {
        return end(name, new Ending(creation, false));
    }

    /** The same under whatever name it goes on: another pod may have given it one, and an application that ends it here means the session. */
    boolean endWherever(String name) {
        return end(name, new Ending(null, true));
    }

    private boolean end(String name, Ending ending) {
        try {
            if (ending.creation != null) {
                sidecar.commit(name, ending.creation, Collections.emptyList());
            }
            boolean ended = sidecar.end(name, ending.follow);
            ends.remove(name);
            return ended;
        } catch (Refusal e) {
            if (e.later()) {
                ends.put(name, ending);
                return true;
            }
            if (e.why == Refusal.Why.GONE) {
                ends.remove(name);
            }
            return e.why != Refusal.Why.GONE;
        }
    }

    void endLater(String name) {
        ends.put(name, new Ending(null, false));
    }

    void endLater(String name, CommitTerms creation) {
        ends.put(name, new Ending(creation, false));
    }

    public boolean isEnding(String name) {
        return !ends.isEmpty() && ends.containsKey(name);
    }

    /** Whether the end of one is still to be told that an id has had, whose first one is called so. */
    boolean isEndingAnyOf(String first) {
        for (String name : ends.keySet()) {
            if (Generations.isOneOf(first, name)) {
                return true;
            }
        }
        return false;
    }

    /** Application threads of async requests have no request of their own; before bytes leave, theirs count too. */
    public void commitStrays() {
        for (SessionState session : strays) {
            session.strays().commit();
            if (session.strays().isEmpty()) {
                strays.remove(session);
            }
        }
    }

    /** To be called regularly while the sidecar answers. */
    public void work() {
        notes.send();
        ends.forEach(this::end);
        commitStrays();
        lookForStrays();
        for (SessionState session : uncommitted.keySet()) {
            if (session.isInUse() && waits(session)) {
                continue;
            }
            if (!session.catchUp()) {
                // Still nobody there: do not ask for every one of thousands.
                return;
            }
            Log.debug("a session that could not be committed with its request is in the store now");
        }
    }

    private void lookForStrays() {
        for (Object gone = unheld.poll(); gone != null; gone = unheld.poll()) {
            looks.remove(gone);
        }
        for (Look look : looks) {
            SessionState session = look.isDue() ? look.get() : null;
            if (session != null) {
                session.commitStrayed();
            }
        }
    }

    /** A request that uses it will commit it soon, with the objects at rest. */
    private boolean waits(SessionState session) {
        Integer looks = uncommitted.computeIfPresent(session, (same, before) -> before + 1);
        return looks == null || looks <= PATIENCE;
    }

    /** An end that is to be told. */
    private static final class Ending {
        /** What creates it, where nobody knows whether it is there. */
        final @Nullable CommitTerms creation;

        final boolean follow;

        Ending(@Nullable CommitTerms creation, boolean follow) {
            this.creation = creation;
            this.follow = follow;
        }
    }
}
