package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Scope;
import dev.sojourn.agent.session.Serializer;
import java.util.regex.Pattern;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Session;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.StandardSession;
import org.apache.catalina.util.ServerInfo;
import org.jspecify.annotations.Nullable;

/** Tomcat's session manager with the sessions' home in the store; what this JVM holds is a copy that serves outages. */
public final class SojournManager extends ManagerBase {
    /** The protocol's limit for a session's name. */
    private static final int MAX_NAME = 1_024;

    /** The store's idle time begins with a request's start, ours with its end; and clocks tick differently. */
    private static final long TOLERANCE_MILLIS = 1_000;

    private final Services services;
    private final Home home;
    private final Object adopting = new Object();

    SojournManager(Services services, ManagerBase replaced) {
        this.services = services;
        Serializer serializer =
                new Serializer(() -> getContext().getLoader().getClassLoader(), services.filter, this::isClassAllowed);
        this.home = new Home(this::label, services.sidecar, serializer, services.requests, services.backlog);
        takeSettings(replaced);
    }

    /** The session's name in the protocol. Two applications that share a cookie do not share a session. */
    String nameOf(String id) {
        return getContext().getPath() + '\n' + id;
    }

    /** The request at work uses this session, and needs not ask the store about it any more. */
    void hold(SojournSession session) {
        Scope scope = services.requests.current();
        if (scope != null) {
            scope.firstUse(session.state().name());
            scope.use(session.state());
        }
    }

    @Override
    public String getName() {
        return "SojournManager";
    }

    @Override
    protected StandardSession getNewSession() {
        return new SojournSession(this, home);
    }

    @Override
    public Session createSession(String id) {
        Session session = super.createSession(id);
        // It is committed even if nobody sets an attribute: another pod must know the cookie.
        ((SojournSession) session).state().created();
        return session;
    }

    @Override
    public @Nullable Session findSession(@Nullable String id) {
        if (id == null || !getState().isAvailable()) {
            return null;
        }
        SojournSession held = (SojournSession) sessions.get(id);
        Scope scope = services.requests.current();
        boolean known = scope == null ? held != null && !services.requests.any() : !scope.firstUse(nameOf(id));
        SojournSession found = known ? held : open(id, held);
        if (found != null && scope != null) {
            scope.use(found.state());
        }
        return found;
    }

    @Override
    public void remove(Session session, boolean update) {
        if (update) {
            // It ends: after this nobody can bring it back, and the response that says so has not left yet.
            ((SojournSession) session).state().end();
        }
        super.remove(session, update);
    }

    @Override
    public void backgroundProcess() {
        processExpires();
    }

    /** Forgets copies that are not needed any more; ends only what the store says has ended, or never knew. */
    @Override
    public void processExpires() {
        for (Session session : findSessions()) {
            SojournSession held = (SojournSession) session;
            if (!held.state().isInUse()) {
                examine(held);
            }
        }
    }

    private void examine(SojournSession held) {
        boolean forgotten = held.idleMillis() > services.config.memoryIdleMillis;
        if (held.state().version() == 0) {
            openLocal(held);
        } else if (held.isIdleTooLong(TOLERANCE_MILLIS)) {
            // Asking counts as a use. Later than need be, so that it does not revive what is just about to end.
            forgotten = open(held.getIdInternal(), held) != null;
        }
        if (forgotten && held.state().isEvictable()) {
            remove(held, false);
        }
    }

    /** There is nothing to load at start, and nothing to unload at stop: the store has it. */
    @Override
    public void load() {}

    @Override
    public void unload() {}

    @Override
    protected void startInternal() throws LifecycleException {
        super.startInternal();
        services.begin();
        setState(LifecycleState.STARTING);
        Log.info("sessions are kept by Sojourn: context=" + label() + " server=" + ServerInfo.getServerInfo());
    }

    @Override
    protected void stopInternal() throws LifecycleException {
        setState(LifecycleState.STOPPING);
        for (Session session : findSessions()) {
            // Almost always nothing: every request has committed its own.
            ((SojournSession) session).state().commit();
        }
        sessions.clear();
        super.stopInternal();
    }

    private @Nullable SojournSession open(String id, @Nullable SojournSession held) {
        String name = nameOf(id);
        if (name.length() > MAX_NAME || services.backlog.isEnding(name)) {
            return null;
        }
        long version = held == null ? 0 : held.state().version();
        if (held != null && version == 0) {
            return openLocal(held);
        }
        try {
            Opened opened = services.sidecar.open(name, version);
            if (opened == null) {
                vanished(held);
                return null;
            }
            if (held == null) {
                return adopt(id, opened);
            }
            held.refresh(opened, version);
            return held;
        } catch (Refusal e) {
            return unanswered(held);
        }
    }

    /** The store does not know it yet: this JVM is the judge, as in an ordinary Tomcat. */
    private static @Nullable SojournSession openLocal(SojournSession held) {
        if (held.isIdleTooLong(0)) {
            held.expire(true);
            return null;
        }
        return held;
    }

    private SojournSession adopt(String id, Opened opened) {
        synchronized (adopting) {
            SojournSession session = (SojournSession) sessions.get(id);
            if (session == null) {
                session = new SojournSession(this, home);
                session.restore(id, opened);
                add(session);
            } else {
                session.refresh(opened, 0);
            }
            return session;
        }
    }

    /** The store does not have it any more: by its clock, or because another pod has ended it and told the listeners. */
    private static void vanished(@Nullable SojournSession held) {
        if (held == null) {
            return;
        }
        held.state().endedElsewhere();
        if (held.isIdleTooLong(-TOLERANCE_MILLIS)) {
            held.expire(true);
        } else {
            held.discard();
        }
    }

    /** Nobody else can judge now. It is not ended in the store: it may be in use on another pod. */
    private static @Nullable SojournSession unanswered(@Nullable SojournSession held) {
        if (held != null && held.isIdleTooLong(0)) {
            held.discard();
            return null;
        }
        return held;
    }

    private String label() {
        String path = getContext() == null ? null : getContext().getPath();
        return path == null || path.isEmpty() ? "/" : path;
    }

    private boolean isClassAllowed(String className) {
        Pattern pattern = getSessionAttributeValueClassNamePattern();
        return pattern == null || pattern.matcher(className).matches();
    }

    private void takeSettings(ManagerBase from) {
        setSessionAttributeNameFilter(from.getSessionAttributeNameFilter());
        setSessionAttributeValueClassNameFilter(from.getSessionAttributeValueClassNameFilter());
        setWarnOnSessionAttributeFilterFailure(from.getWarnOnSessionAttributeFilterFailure());
        setNotifyBindingListenerOnUnchangedValue(from.getNotifyBindingListenerOnUnchangedValue());
        setNotifyAttributeListenerOnUnchangedValue(from.getNotifyAttributeListenerOnUnchangedValue());
        setMaxActiveSessions(from.getMaxActiveSessions());
        setSecureRandomClass(from.getSecureRandomClass());
        setSecureRandomAlgorithm(from.getSecureRandomAlgorithm());
        setSecureRandomProvider(from.getSecureRandomProvider());
        if (from.getSessionIdGenerator() != null) {
            setSessionIdGenerator(from.getSessionIdGenerator());
        }
    }
}
