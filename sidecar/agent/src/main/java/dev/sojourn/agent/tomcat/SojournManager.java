package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Expiries;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Scope;
import dev.sojourn.agent.session.Serializer;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.catalina.Container;
import org.apache.catalina.Engine;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Session;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.StandardSession;
import org.apache.catalina.util.ServerInfo;
import org.apache.coyote.Request;
import org.jspecify.annotations.Nullable;

/** Tomcat's session manager with the sessions' home in the store; what this JVM holds is a copy that serves outages. */
public final class SojournManager extends ManagerBase implements Expiries.Listener {
    /** The protocol's limit for a session's name. */
    private static final int MAX_NAME = 1_024;

    /** The filter that Spring Session puts before an application; the name is part of its documented API. */
    private static final String SPRING_SESSION = "springSessionRepositoryFilter";

    private final Services services;
    private final Home home;
    private final Object adopting = new Object();
    private volatile boolean exclusive;
    /** What comes with a cookie is almost never one of ours: that it cannot be asked for is no reason to refuse the request. */
    private volatile boolean hasSpringSession;

    SojournManager(Services services, ManagerBase replaced) {
        this.services = services;
        Serializer serializer =
                new Serializer(() -> getContext().getLoader().getClassLoader(), services.filter, this::isClassAllowed);
        this.home = new Home(
                this::label, services.sidecar, serializer, services.requests, services.backlog, services.groups);
        takeSettings(replaced);
    }

    /** The session's name in the protocol. Two applications that share a cookie do not share a session. */
    String nameOf(String id) {
        return contextName() + '\n' + id;
    }

    /**
     * As the container has it: hosts, and versions of one application that are deployed side by side, have sessions of their own. No path begins as a host's
     * name does.
     */
    private String contextName() {
        String version = getContext().getWebappVersion();
        return otherHost() + getContext().getPath() + (version == null || version.isEmpty() ? "" : "##" + version);
    }

    /** Empty for the default host, which is all that most have. */
    private String otherHost() {
        Container host = getContext().getParent();
        Container engine = host == null ? null : host.getParent();
        boolean isOther =
                engine instanceof Engine && !host.getName().equalsIgnoreCase(((Engine) engine).getDefaultHost());
        return isOther ? host.getName().toLowerCase(Locale.ROOT) : "";
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
        if (scope != null && scope.isBusy()) {
            return busy();
        }
        boolean known = scope == null ? held != null && !services.requests.any() : !scope.firstUse(nameOf(id));
        if (scope != null && !known && services.passivePaths.any()) {
            judge(scope);
        }
        SojournSession found = known ? held : open(id, held, scope);
        if (found != null && scope != null) {
            scope.use(found.state());
        }
        return found;
    }

    @Override
    public void backgroundProcess() {
        processExpires();
    }

    @Override
    public void processExpires() {
        Copies.tidy(findSessions(), services.config);
    }

    /** Told by a thread that belongs to no request. */
    @Override
    public void expired(String id) {
        if (!getState().isAvailable()) {
            return;
        }
        String name = nameOf(id);
        try {
            Opened last = services.sidecar.reap(name);
            if (last != null) {
                SojournSession session = adopt(id, last);
                try {
                    session.expired();
                } finally {
                    // Only now: if this JVM ends in between, another pod is asked to do it. And whatever a listener
                    // throws: it would throw it again.
                    services.backlog.end(name);
                }
            }
        } catch (Refusal e) {
            Log.debug("an expired session could not be had, it will be announced again: " + e.getMessage());
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
        services.expiries.listen(contextName(), this);
        exclusive = services.config.isExclusive(path());
        Container host = getContext().getParent();
        new BusyValve(services.requests).addOnceTo(host);
        new DrainValve(services.drain).addOnceTo(host.getParent());
        setState(LifecycleState.STARTING);
        Log.info("sessions are kept by Sojourn: context=" + label() + " server=" + ServerInfo.getServerInfo());
        SingleSignOns.warn(getContext(), label());
        hasSpringSession = getContext().findFilterDef(SPRING_SESSION) != null;
        if (hasSpringSession) {
            Log.info("the application has Spring Session, which keeps its sessions elsewhere; Sojourn keeps what"
                    + " is left to the container: context=" + label());
        }
    }

    @Override
    protected void stopInternal() throws LifecycleException {
        setState(LifecycleState.STOPPING);
        services.expiries.stopListening(contextName(), this);
        for (Session session : findSessions()) {
            // Almost always nothing: every request has committed its own.
            ((SojournSession) session).state().commit();
            ((SojournSession) session).passivate();
        }
        sessions.clear();
        super.stopInternal();
    }

    /** Whether the request at work is an access. Before its session is asked for, and so before anybody hears of it. */
    private void judge(Scope scope) {
        Object request = services.requests.request();
        if (request instanceof Request) {
            // The characters: to ask for the text would change what Tomcat's own valves find there.
            String path = ((Request) request).decodedURI().getCharChunk().toString();
            if (path != null && services.passivePaths.contains(path)) {
                scope.markPassive();
            }
        }
    }

    /** The request at work is no access of its sessions. */
    boolean isPassive() {
        if (!services.passivePaths.any()) {
            return false;
        }
        Scope scope = services.requests.used();
        return scope != null && scope.isPassive();
    }

    private @Nullable SojournSession open(String id, @Nullable SojournSession held, @Nullable Scope scope) {
        String name = nameOf(id);
        if (name.length() > MAX_NAME || services.backlog.isEnding(name)) {
            return null;
        }
        if (held != null && held.state().version() == 0) {
            return Copies.judge(held);
        }
        if (held != null && !exclusive && held.useNewest()) {
            return held;
        }
        // Not before: it may have been told of a newer one that is not the newest.
        long version = held == null ? 0 : held.state().version();
        try {
            // Whose end nobody sees cannot have a session for itself.
            Opened opened = exclusive && scope != null
                    ? services.sidecar.openExclusive(name, version, isPassive())
                    : services.sidecar.open(name, version, isPassive());
            if (opened == null) {
                vanished(held, name);
                return null;
            }
            SojournSession session = held == null ? adopt(id, opened) : caughtUp(held, name, opened, version);
            if (session != null && scope != null && opened.lock != Opened.NO_LOCK) {
                scope.claim(session.state(), opened.lock);
            }
            return session;
        } catch (Refusal e) {
            if (scope != null && !hasSpringSession && isToBeRefused(e, held)) {
                scope.markBusy();
                return busy();
            }
            return unanswered(held);
        }
    }

    /** A new session in its place would log its user out; what is held may be old. */
    private boolean isToBeRefused(Refusal refusal, @Nullable SojournSession held) {
        return refusal.why == Refusal.Why.BUSY
                || refusal.why == Refusal.Why.AWAY && services.sidecar.isMissed(held != null);
    }

    /** Null only where nobody is the wiser for it, for instance where Tomcat looks for the version of an application that has this session. */
    private @Nullable SojournSession busy() {
        if (services.requests.isInside()) {
            throw new SessionBusy(label());
        }
        return null;
    }

    /** Brings what this JVM holds up to the answer; where deltas do not fit what it holds, by asking for all of it. */
    private @Nullable SojournSession caughtUp(SojournSession held, String name, Opened opened, long version)
            throws Refusal {
        if (!held.refresh(opened, version)) {
            Opened whole = services.sidecar.open(name, 0, isPassive());
            if (whole == null) {
                vanished(held, name);
                return null;
            }
            held.refresh(whole, 0);
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

    /**
     * The store does not have it any more: whoever ended it has told the listeners, or is about to. Where it was given another name meanwhile it
     * goes on under that one, and the request that gave it is at work on it.
     */
    private static void vanished(@Nullable SojournSession held, String name) {
        if (held != null && held.state().name().equals(name)) {
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

    private String path() {
        String path = getContext().getPath();
        return path.isEmpty() ? "/" : path;
    }

    private String label() {
        String name = getContext() == null ? "" : contextName();
        return name.isEmpty() ? "/" : name;
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
