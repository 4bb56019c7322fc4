package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Log;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What could not be told to the store yet: told as soon as somebody answers. */
public final class Backlog {
    final Notes notes;
    final LateCommits late = new LateCommits();
    private final Sidecar sidecar;
    private final Set<SessionState> uncommitted = ConcurrentHashMap.newKeySet();
    private final Set<String> ends = ConcurrentHashMap.newKeySet();
    /** Sessions touched by threads that belong to no request, as far as one can tell. */
    private final Set<SessionState> strays = ConcurrentHashMap.newKeySet();

    public Backlog(Sidecar sidecar) {
        this.sidecar = sidecar;
        this.notes = new Notes(sidecar);
    }

    void uncommitted(SessionState session) {
        uncommitted.add(session);
    }

    void committed(SessionState session) {
        uncommitted.remove(session);
    }

    void stray(SessionState session) {
        strays.add(session);
    }

    /**
     * Synchronous if anybody answers. If not, the end is remembered: a logout must not be undone by an outage. False: it was over already, and whoever ended
     * it tells the listeners; where nobody says so, nobody else may have.
     */
    public boolean end(String name) {
        try {
            boolean ended = sidecar.end(name);
            ends.remove(name);
            return ended;
        } catch (Refusal e) {
            if (e.later()) {
                endLater(name);
            }
            return true;
        }
    }

    void endLater(String name) {
        ends.add(name);
    }

    public boolean isEnding(String name) {
        return !ends.isEmpty() && ends.contains(name);
    }

    /** Application threads of async requests have no request of their own; before bytes leave, theirs count too. */
    public void commitStrays() {
        for (SessionState session : strays) {
            session.commitStrays();
            if (session.hasNoStrays()) {
                strays.remove(session);
            }
        }
    }

    /** To be called regularly while the sidecar answers. */
    public void work() {
        notes.send();
        for (String name : ends) {
            end(name);
        }
        commitStrays();
        for (SessionState session : uncommitted) {
            // A request that uses it will commit it, with the objects at rest.
            if (session.isInUse()) {
                continue;
            }
            if (!session.commit()) {
                // Still nobody there: do not ask for every one of thousands.
                return;
            }
            Log.debug("a session that could not be committed with its request is in the store now");
        }
    }
}
