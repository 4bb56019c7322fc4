package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Expiries;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Generations;
import dev.sojourn.agent.session.Home;
import java.util.Map;
import org.apache.catalina.Session;

/** One application's sessions that the store says have expired, and whose listeners this JVM tells. By a thread that belongs to no request. */
final class Reaping implements Expiries.Listener {
    private final SojournManager manager;
    private final Home home;
    private final Map<String, Session> sessions;
    private final Services services;

    Reaping(SojournManager manager, Home home, Map<String, Session> sessions, Services services) {
        this.manager = manager;
        this.home = home;
        this.sessions = sessions;
        this.services = services;
    }

    @Override
    public void expired(String told) {
        if (!manager.getState().isAvailable()) {
            return;
        }
        String name = manager.contextName() + '\n' + told;
        try {
            Opened last = services.sidecar.reap(name);
            if (last == null) {
                return;
            }
            try {
                if (!Generations.isNote(told)) {
                    expired(told, last);
                }
            } finally {
                // Only now: if this JVM ends in between, another pod is asked to do it. And whatever a listener
                // throws: it would throw it again.
                services.backlog.end(name);
            }
        } catch (Refusal e) {
            Log.debug("an expired session could not be had, it will be announced again: " + e.getMessage());
        }
    }

    private void expired(String told, Opened last) {
        String id = Generations.idOf(told);
        Generation generation = Generation.of(Generations.numberOf(told));
        SojournSession session = manager.adoption().adopt(id, generation, last, false);
        if (session == null) {
            // Its user has begun another one since, which goes on.
            session = new SojournSession(manager, home);
            session.restore(id, generation, last);
        }
        session.expired();
    }

    @Override
    public boolean holds(String told) {
        return sessions.containsKey(Generations.idOf(told));
    }
}
