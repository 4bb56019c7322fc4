package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Home;
import java.util.Map;
import org.apache.catalina.Session;
import org.jspecify.annotations.Nullable;

/** How this JVM comes to hold a session that the store has, and lets go of it: a session has one object here, whoever holds that. */
final class Adoption {
    final Forgotten forgotten = new Forgotten();

    private final SojournManager manager;
    private final Home home;
    /** The manager's, by their ids. */
    private final Map<String, Session> sessions;

    Adoption(SojournManager manager, Home home, Map<String, Session> sessions) {
        this.manager = manager;
        this.home = home;
        this.sessions = sessions;
    }

    /** Null: this JVM holds a later one of that id. {@code alone}: the request at work has it for itself. */
    @Nullable
    SojournSession adopt(String id, Generation generation, Opened opened, boolean alone) {
        SojournSession again;
        SojournSession session;
        synchronized (this) {
            again = sessions.containsKey(id) ? null : again(manager.nameOf(id, generation.number), opened);
            session = again == null ? adopted(id, generation, opened, alone) : again;
            if (again != null) {
                manager.add(again);
            }
        }
        if (session != null) {
            session.state().compareBehind();
        }
        if (again != null) {
            again.present();
        }
        return session;
    }

    /** The one that this JVM has forgotten, and the application has not, with what the store has, whatever became of it since. */
    private @Nullable SojournSession again(String name, Opened opened) {
        // Who has asked knew of no version since. What a thread of no request has committed meanwhile may be later than
        // what he was told.
        long version = forgotten.version(name);
        SojournSession held = forgotten.take(name);
        if (held == null || held.state().isOvertaken()) {
            return null;
        }
        if (held.created() != opened.created) {
            // It has ended elsewhere, and its id has begun again.
            held.discard();
            return null;
        }
        held.refresh(opened.whole(), version);
        return held;
    }

    private @Nullable SojournSession adopted(String id, Generation generation, Opened opened, boolean alone) {
        SojournSession session = (SojournSession) sessions.get(id);
        if (session != null && session.generation().number > generation.number) {
            return null;
        }
        if (session != null && alone && session.state().isOvertaken()) {
            session.state().overtaken();
            session = null;
        }
        if (session == null || session.generation().number < generation.number) {
            session = new SojournSession(manager, home);
            session.restore(id, generation, opened);
            manager.add(session);
        } else {
            session.refresh(opened, 0);
        }
        return session;
    }

    synchronized void forget(SojournSession session) {
        forgotten.add(session);
        manager.remove(session, false);
    }

    /** A request has it after all. */
    synchronized void takeBack(SojournSession session) {
        if (forgotten.take(session.state().name()) == session && !sessions.containsKey(session.getIdInternal())) {
            manager.add(session);
        }
    }
}
