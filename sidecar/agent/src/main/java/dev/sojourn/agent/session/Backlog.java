package dev.sojourn.agent.session;

import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import dev.sojourn.agent.core.Log;
import java.lang.ref.ReferenceQueue;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What could not be told to the store yet: told as soon as somebody answers. */
public final class Backlog {
    final Notes notes;
    final FewThreads late = new FewThreads("sojourn-late");
    private final Sidecar sidecar;
    /** Where the sessions' own work is done: the objects of one may make a thread wait, and the others must go on. */
    private final Executor threads;
    /** Lets others of them have a thread where all are held. */
    private final Runnable makeRoom;

    /** With a thread, or about to get one: no session has two. */
    private final Set<SessionState> atWork = ConcurrentHashMap.newKeySet();

    private final Uncommitted uncommitted = new Uncommitted();

    /** Of which requests that are still in flight have set something; true: none of those is an access. */
    private final Map<SessionState, Boolean> set = new ConcurrentHashMap<>();

    private final Map<String, Ending> ends = new ConcurrentHashMap<>();
    /** Sessions touched by threads that belong to no request, as far as one can tell. */
    private final Set<SessionState> strays = ConcurrentHashMap.newKeySet();
    /** At those that ever were. */
    private final Set<Look> looks = ConcurrentHashMap.newKeySet();
    /** Whose look was due. */
    private final Set<SessionState> due = ConcurrentHashMap.newKeySet();
    /** Those of them whose session nobody has any more. */
    private final ReferenceQueue<SessionState> unheld = new ReferenceQueue<>();

    public Backlog(Sidecar sidecar) {
        this(sidecar, new FewThreads("sojourn-catch-up"));
    }

    public Backlog(Sidecar sidecar, Executor threads) {
        this(sidecar, threads, () -> {});
    }

    private Backlog(Sidecar sidecar, FewThreads threads) {
        this(sidecar, threads, () -> threads.makeRoom(System.nanoTime()));
    }

    Backlog(Sidecar sidecar, Executor threads, Runnable makeRoom) {
        this.sidecar = sidecar;
        this.threads = threads;
        this.makeRoom = makeRoom;
        this.notes = new Notes(sidecar);
    }

    /** {@code passive}: that is no access. */
    void uncommitted(SessionState session, boolean passive) {
        uncommitted.add(session, passive);
    }

    boolean isUncommitted(SessionState session) {
        return uncommitted.contains(session);
    }

    /** Whether an access waits with it that whatever is committed next is to tell. */
    boolean owesAccess(SessionState session) {
        return uncommitted.isAccess(session);
    }

    /** To be committed in the next round; {@code passive}: that is no access, as far as this request goes. */
    void set(SessionState session, boolean passive) {
        set.merge(session, passive, Boolean::logicalAnd);
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
        } catch (RuntimeException | Error e) {
            // Whoever ends it again is told that it is over.
            ends.put(name, ending);
            throw e;
        }
    }

    private void endAgain(String name, Ending ending) {
        try {
            end(name, ending);
        } catch (Throwable e) {
            // The other ends wait too, and all that is to be committed.
            Log.warnOnce("the end of a session could not be told to the store and is tried again, this is a bug: ", e);
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

    /** To be called regularly while the sidecar answers. */
    public void work() {
        makeRoom.run();
        notes.send();
        ends.forEach(this::endAgain);
        lookForStrays();
        Set<SessionState> all = new HashSet<>(strays);
        all.addAll(due);
        all.addAll(set.keySet());
        all.addAll(uncommitted.all());
        AtomicBoolean unanswered = new AtomicBoolean();
        for (SessionState session : all) {
            begin(session, unanswered);
        }
    }

    /** Not if one is still at it: what there is to do waits until the next time. */
    private void begin(SessionState session, AtomicBoolean unanswered) {
        if (!atWork.add(session)) {
            return;
        }
        boolean begun = false;
        try {
            threads.execute(() -> {
                try {
                    commit(session, unanswered);
                } finally {
                    atWork.remove(session);
                }
            });
            begun = true;
        } finally {
            if (!begun) {
                atWork.remove(session);
            }
        }
    }

    /** All that there is to do for one. */
    private void commit(SessionState session, AtomicBoolean unanswered) {
        if (strays.contains(session)) {
            commitStrays(session);
        }
        if (due.remove(session)) {
            session.commitStrayed();
        }
        Boolean passive = set.remove(session);
        if (passive != null && !unanswered.get() && !session.commitSet(passive)) {
            unanswered.set(true);
        }
        // Still nobody there: do not ask for every one of thousands.
        if (!uncommitted.contains(session) || session.isInUse() && uncommitted.waits(session) || unanswered.get()) {
            return;
        }
        if (session.catchUp()) {
            Log.debug("a session that could not be committed with its request is in the store now");
        } else {
            unanswered.set(true);
        }
    }

    private void commitStrays(SessionState session) {
        session.strays().commit(true);
        if (session.strays().isEmpty()) {
            strays.remove(session);
            // Some may have come between the two.
            if (!session.strays().isEmpty()) {
                strays.add(session);
            }
        }
    }

    private void lookForStrays() {
        for (Object gone = unheld.poll(); gone != null; gone = unheld.poll()) {
            looks.remove(gone);
        }
        for (Look look : looks) {
            SessionState session = look.isDue() ? look.get() : null;
            if (session != null) {
                due.add(session);
            }
        }
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
