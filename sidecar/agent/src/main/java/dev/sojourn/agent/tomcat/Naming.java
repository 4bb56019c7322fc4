package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.session.Ends;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Life;
import org.jspecify.annotations.Nullable;

/**
 * The names that a copy of a session goes by, one after another: given here, as its id is; or given by another pod, which nobody tells, and under which the session
 * goes on while the copy has the old one.
 */
final class Naming implements Ends.Listener {
    private final SojournManager owner;
    private final SojournSession session;
    private final Life life;
    /** Which it is of those that its id has had, one after another. */
    private volatile Generation generation = Generation.FIRST;
    /** Something that it has opened may be open still, a WebSocket whose endpoint has the session's object. */
    private volatile boolean hasOpened;

    Naming(SojournManager owner, SojournSession session) {
        this.owner = owner;
        this.session = session;
        this.life = session.state().life();
    }

    Generation generation() {
        return generation;
    }

    /** It has this name in the store. */
    void restored(String id, Generation restored) {
        generation = restored;
        life.rename(owner.nameOf(id, restored.number));
    }

    /** It is in the store, without anything of it, as this one of those that its id has had. */
    void begun(String id, Generation found) {
        generation = found;
        life.begun(owner.nameOf(id, found.number));
        owner.hold(session, id);
    }

    /** It is about to have another id than it has; {@code before} null: its first. */
    void give(@Nullable String before, String id) {
        if (before == null) {
            owner.beginAgain(session, id);
        }
        String name = owner.nameOf(id, before == null || id.equals(before) ? generation.number : 0);
        String replaced = life.rename(name);
        if (!name.equals(replaced)) {
            generation = Generation.FIRST;
            owner.hold(session, id);
            // Not where that has found it ended: of its new name nobody would ever tell.
            if (!replaced.isEmpty() && !life.hasEnded()) {
                owner.renamed(replaced, name);
            }
        }
    }

    /** By the id that it has just been given it can be found again: if it has ended nobody would ever come for it. */
    boolean leaveIfEnded() {
        boolean ended = life.hasEnded();
        if (ended) {
            owner.remove(session, false);
        }
        return ended;
    }

    /** One that is over and still to be found: it may have been given an id just when that was heard of. */
    boolean leaveIfOver() {
        return !session.isValid() && leaveIfEnded();
    }

    /** Whether the store, which has none of this name, has it under another one; of what nobody needs nobody asks. */
    boolean goesOnElsewhere() {
        boolean isNeeded = session.state().isInUse() || hasOpened;
        // Where requests have sessions for themselves, whoever gave it another name has taken it over.
        return isNeeded && !owner.isExclusive() && life.goesOn();
    }

    /** It goes on elsewhere, and nobody finds it here any more. Those who have it commit to it until they are done. */
    void leave() {
        owner.unbindOnceDone(session);
        owner.remove(session, false);
    }

    void opens(String key) {
        hasOpened = true;
        owner.opens(session, key);
    }

    /** What only Tomcat knows of it in this JVM ends too. */
    @Override
    public void ended(String key) {
        WebSockets.close(owner.getContext(), key);
    }

    @Override
    public boolean isOthers(String key) {
        return owner.openers().isOthers(key, session.state().name());
    }

    @Override
    public boolean hasEnded() throws Refusal {
        // Where requests have sessions for themselves, to ask would be to take it from one that takes long.
        return !owner.isExclusive() && life.isGone();
    }
}
