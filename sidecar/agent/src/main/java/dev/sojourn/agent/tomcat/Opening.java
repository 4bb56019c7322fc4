package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Generations;
import dev.sojourn.agent.session.Scope;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** How a request gets the session that its id stands for: from what this JVM holds where nobody has a newer one, else by asking the sidecar. */
final class Opening {
    /** The protocol's limit for a session's name. */
    private static final int MAX_NAME = 1_024;

    /** A character has up to three bytes in UTF-8. */
    private static final int MAX_BYTES = 3;

    /** What becomes of an answer. */
    private interface Answered {
        @Nullable
        SojournSession session() throws Refusal;
    }

    private final SojournManager manager;
    private final Adoption adoption;
    private final Services services;
    private final Generations generations;

    Opening(SojournManager manager, Adoption adoption, Services services, Generations generations) {
        this.manager = manager;
        this.adoption = adoption;
        this.services = services;
        this.generations = generations;
    }

    /** However it was found, its objects are what this JVM knows of: another request may have been told of later ones, and be comparing them still. */
    @Nullable
    SojournSession open(String id, @Nullable SojournSession held, @Nullable Scope scope) {
        SojournSession session = find(id, held, scope);
        if (session != null) {
            session.state().compareBehind();
        }
        return session;
    }

    private @Nullable SojournSession find(String id, @Nullable SojournSession held, @Nullable Scope scope) {
        Generation generation = held == null ? Generation.FIRST : held.generation();
        String name = manager.nameOf(id, generation.number);
        if (isTooLong(name) || services.backlog.isEnding(name)) {
            return null;
        }
        if (held != null && held.state().version() == 0) {
            return Copies.judge(held);
        }
        if (held != null && !manager.isExclusive() && held.useNewest()) {
            keep(held, id);
            return held;
        }
        // Not before: it may have been told of a newer one that is not the newest.
        long version = held == null ? 0 : held.state().version();
        try {
            Opened opened = ask(name, version, scope);
            if (opened == null) {
                Copies.vanished(held == null ? adoption.forgotten.take(name) : held, name);
                return SharedIds.arePossible(manager.getContext()) ? openLast(id, generation, scope) : null;
            }
            SojournSession session =
                    claimed(scope, name, opened, () -> answered(id, generation, held, opened, version));
            keep(session, id);
            return session;
        } catch (Refusal e) {
            if (scope != null && !manager.hasSpringSession() && isToBeRefused(e, held)) {
                scope.markBusy(e.isWithAnother());
                return busy();
            }
            return Copies.unanswered(Copies.named(held, name));
        }
    }

    private @Nullable SojournSession answered(
            String id, Generation generation, @Nullable SojournSession held, Opened opened, long version)
            throws Refusal {
        boolean alone = opened.lock != Opened.NO_LOCK;
        if (held == null) {
            return adoption.adopt(id, generation, opened, alone);
        }
        String name = manager.nameOf(id, generation.number);
        if (!alone || !held.state().isOvertaken()) {
            return caughtUp(held, name, opened, version);
        }
        // Not on that object: whoever lost it would send what this request does, and this one what was made of what
        // others have changed since.
        Opened whole = whole(name);
        return whole == null ? null : adoption.adopt(id, generation, whole, true);
    }

    /** Nobody can have begun one; its bytes count. */
    private static boolean isTooLong(String name) {
        int room = MAX_NAME - Generations.ROOM;
        return name.length() > room / MAX_BYTES && name.getBytes(StandardCharsets.UTF_8).length > room;
    }

    /** This one is not there; whoever ended it may have begun another one, perhaps on another pod. */
    private @Nullable SojournSession openLast(String id, Generation ended, @Nullable Scope scope) throws Refusal {
        Generation generation = Generation.of(generations.last(manager.nameOf(id, 0)));
        String name = manager.nameOf(id, generation.number);
        if (generation.number == ended.number || services.backlog.isEnding(name)) {
            return null;
        }
        Opened opened = ask(name, 0, scope);
        if (opened == null) {
            return null;
        }
        return claimed(scope, name, opened, () -> answered(id, generation, null, opened, 0));
    }

    /** Where it is not the first one of its id nobody would find it without what tells of it. */
    private void keep(@Nullable SojournSession session, String id) {
        if (session == null || session.generation() == Generation.FIRST) {
            return;
        }
        try {
            generations.keep(
                    manager.nameOf(id, 0), session.generation(), session.state().idleSeconds(), session.created());
        } catch (Refusal e) {
            Log.debug("what tells which session an id has could not be kept, the next request does it: "
                    + e.getMessage());
        }
    }

    private @Nullable Opened ask(String name, long version, @Nullable Scope scope) throws Refusal {
        // Whose end nobody sees cannot have a session for itself.
        return manager.isExclusive() && scope != null
                ? services.sidecar.openExclusive(name, version, manager.isPassive())
                : services.sidecar.open(name, version, manager.isPassive());
    }

    /** For the request at work, where that asked for it. Whatever is thrown: a lock that nobody knows of would keep everybody out. */
    private @Nullable SojournSession claimed(@Nullable Scope scope, String name, Opened opened, Answered answered)
            throws Refusal {
        boolean known = opened.lock == Opened.NO_LOCK;
        try {
            SojournSession session = answered.session();
            if (!known && session != null && scope != null) {
                scope.claim(session.state(), opened.lock);
                known = true;
            }
            return session;
        } finally {
            if (!known) {
                giveBack(name, opened.lock);
            }
        }
    }

    private void giveBack(String name, long lock) {
        try {
            services.sidecar.unlock(name, lock);
        } catch (Refusal e) {
            Log.debug("a session was not given back, it is free when its lock ends by itself: " + e.getMessage());
        }
    }

    /** A new session in its place would log its user out; what is held may be old, and what is idle here may be in use on another pod. */
    private boolean isToBeRefused(Refusal refusal, @Nullable SojournSession held) {
        boolean serves = held != null && !held.isIdleTooLong(0);
        switch (refusal.why) {
            case BUSY:
                return true;
            case AWAY:
                return services.sidecar.isMissed(serves);
            case UNAVAILABLE:
                // Of nothing held: the store was never there, and there is no session to lose.
                return held != null && !serves;
            case WRONG:
                // A bug, and not one of the user's.
                return !serves;
            default:
                return false;
        }
    }

    /** Null only where nobody is the wiser for it, for instance where Tomcat looks for the version of an application that has this session. */
    @Nullable
    SojournSession busy() {
        if (services.requests.isInside()) {
            throw new SessionBusy(manager.label());
        }
        return null;
    }

    /** Brings what this JVM holds up to the answer; where deltas do not fit what it holds, by asking for all of it. */
    private @Nullable SojournSession caughtUp(SojournSession held, String name, Opened opened, long version)
            throws Refusal {
        if (!held.refresh(opened, version)) {
            Opened whole = whole(name);
            if (whole == null) {
                Copies.vanished(held, name);
                return null;
            }
            held.refresh(whole, 0);
        }
        return held;
    }

    private @Nullable Opened whole(String name) throws Refusal {
        return services.sidecar.open(name, 0, manager.isPassive());
    }
}
