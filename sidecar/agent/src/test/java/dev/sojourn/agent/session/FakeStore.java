package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Changes;
import dev.sojourn.agent.client.CommitOutcome;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Sidecar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A sidecar and its store in memory, shared by the nodes of a test. */
final class FakeStore implements Sidecar {
    private static final class Session {
        long version;
        int idle;
        long created;
        final List<List<Change>> commits = new ArrayList<>();
    }

    private final Map<String, Session> sessions = new HashMap<>();
    private final Set<String> tombstones = new HashSet<>();
    private final Map<String, String> renamed = new HashMap<>();

    /** What was asked, one line each. */
    final List<String> asked = new ArrayList<>();

    Refusal.@Nullable Why refuses;
    boolean refusesOnce;
    /** What happens while it is asked. */
    Runnable meanwhile = () -> {};
    /** Takes commits that nobody waits for. */
    boolean leaves;
    /** They are done, and told of, when these are run. */
    final List<Runnable> left = new ArrayList<>();

    /** If there is one, what is to be told of them waits here. */
    @Nullable
    List<Runnable> late;

    /** What becomes of a commit that nobody waits for when it is to be sent; null: nothing. */
    @Nullable
    Error breaks;

    /** Does the next commit or rename, and nobody hears of it: the connection breaks before the answer. */
    boolean losesAnswer;

    int maxBytes = Integer.MAX_VALUE;
    /** Answers with everything, marked as such, as if it had forgotten what changed since. */
    boolean forgetful;

    @Override
    public @Nullable Opened open(String session, long held, boolean passive) throws Refusal {
        ask((passive ? "PASSIVE OPEN " : "OPEN ") + held);
        Session found = sessions.get(session);
        if (found == null) {
            return null;
        }
        return new Opened(found.version, found.created, 0, found.idle, lack(found, held));
    }

    private Changes lack(Session found, long held) {
        boolean whole = forgetful && held > 0;
        Map<String, Change> since = since(found, whole ? 0 : held);
        if (held == 0 || whole) {
            since.values().removeIf(change -> change.value == null);
        }
        return new Changes(whole, new ArrayList<>(since.values()));
    }

    @Override
    public @Nullable Opened openExclusive(String session, long held, boolean passive) throws Refusal {
        throw new Refusal(Refusal.Why.WRONG, "the manager opens sessions, and there is none here");
    }

    @Override
    public Committed commit(String session, CommitTerms terms, List<Change> changes) throws Refusal {
        long base = terms.base;
        StringBuilder line = new StringBuilder(terms.passive ? "PASSIVE COMMIT " : "COMMIT ").append(base);
        line.append(terms.lock == Opened.NO_LOCK ? "" : " lock " + terms.lock);
        int bytes = 0;
        for (Change change : changes) {
            byte[] value = change.deltas == null ? change.value : change.deltas.get(0);
            line.append(value == null ? " -" : " +").append(Attribute.printable(change.name));
            bytes += value == null ? 0 : value.length;
        }
        ask(line.toString());
        if (bytes > maxBytes) {
            throw new Refusal(Refusal.Why.TOO_LARGE, "TOOLARGE");
        }
        String name = renamed.getOrDefault(session, session);
        if (tombstones.contains(name)) {
            throw new Refusal(Refusal.Why.GONE, "GONE");
        }
        Session found = base == 0 ? sessions.computeIfAbsent(name, n -> new Session()) : sessions.get(name);
        if (found == null) {
            throw new Refusal(Refusal.Why.GONE, "GONE");
        }
        Map<String, Change> others = since(found, base);
        for (Change change : changes) {
            others.remove(change.name);
        }
        List<Change> whole = resolved(found, base, changes);
        found.version++;
        found.idle = terms.idle;
        found.created = base == 0 ? terms.created : found.created;
        found.commits.add(whole);
        perhapsLose();
        Changes answer = new Changes(false, new ArrayList<>(others.values()));
        return new Committed(found.version, forgetful && base > 0 ? lack(found, base) : answer);
    }

    @Override
    public boolean beginCommit(String session, CommitTerms terms, List<Change> changes, CommitOutcome outcome) {
        if (!leaves) {
            return false;
        }
        if (breaks != null) {
            throw breaks;
        }
        left.add(() -> {
            try {
                Committed answer = commit(session, terms, changes);
                if (late == null) {
                    outcome.committed(answer);
                } else {
                    late.add(() -> outcome.committed(answer));
                }
            } catch (Refusal refusal) {
                outcome.refused(refusal);
            } catch (Error e) {
                outcome.unknown();
            }
        });
        return true;
    }

    @Override
    public void unlock(String session, long lock) throws Refusal {
        ask("UNLOCK " + lock);
    }

    @Override
    public @Nullable Opened reap(String session) throws Refusal {
        throw new Refusal(Refusal.Why.WRONG, "the manager reaps sessions, and there is none here");
    }

    @Override
    public void note(String kind, String context, String attribute, String className) throws Refusal {
        ask("NOTE " + kind + " " + context + " " + attribute + " " + className);
    }

    @Override
    public void touch(String session) throws Refusal {
        ask("TOUCH");
    }

    boolean end(String session) throws Refusal {
        return end(session, false);
    }

    @Override
    public boolean end(String session, boolean follow) throws Refusal {
        ask("END");
        String name = session;
        while (follow && renamed.containsKey(name)) {
            name = renamed.get(name);
        }
        return sessions.remove(name) != null && tombstones.add(name);
    }

    @Override
    public long rename(String session, String renamed, long base) throws Refusal {
        ask("RENAME " + base);
        Session found = sessions.remove(session);
        if (found == null) {
            throw new Refusal(Refusal.Why.GONE, "GONE");
        }
        sessions.put(renamed, found);
        this.renamed.put(session, renamed);
        perhapsLose();
        return found.version;
    }

    /** As a replica that lagged has lost it. */
    void lose(String session) {
        sessions.remove(session);
    }

    int idle(String session) {
        return Objects.requireNonNull(sessions.get(session)).idle;
    }

    boolean has(String session) {
        return sessions.containsKey(session);
    }

    private static List<Change> resolved(Session found, long base, List<Change> changes) throws Refusal {
        List<Change> resolved = new ArrayList<>();
        for (Change change : changes) {
            byte[] held = null;
            for (List<Change> commit : found.commits.subList(0, (int) base)) {
                for (Change before : commit) {
                    held = before.name.equals(change.name) ? before.value : held;
                }
            }
            Change whole = change.resolved(held);
            if (whole == null) {
                throw new Refusal(Refusal.Why.MISSING, "MISSING");
            }
            resolved.add(whole);
        }
        return resolved;
    }

    private void perhapsLose() throws Refusal {
        if (losesAnswer) {
            losesAnswer = false;
            throw new Refusal(Refusal.Why.AWAY, "the connection broke");
        }
    }

    private void ask(String line) throws Refusal {
        asked.add(line);
        meanwhile.run();
        Refusal.Why why = refuses;
        if (why != null) {
            refuses = refusesOnce ? null : why;
            throw new Refusal(why, "as told");
        }
    }

    private static Map<String, Change> since(Session session, long version) {
        Map<String, Change> changes = new LinkedHashMap<>();
        for (long at = version; at < session.version; at++) {
            for (Change change : session.commits.get((int) at)) {
                changes.put(change.name, change);
            }
        }
        return changes;
    }
}
