package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import dev.sojourn.agent.session.Generations;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Scope;
import dev.sojourn.agent.session.Serializer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.apache.catalina.Container;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.Session;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.StandardSession;
import org.apache.catalina.util.ServerInfo;
import org.apache.coyote.Request;
import org.jspecify.annotations.Nullable;

/** Tomcat's session manager with the sessions' home in the store; what this JVM holds is a copy that serves outages. */
public final class SojournManager extends ManagerBase {
    private final Services services;
    private final Home home;
    private final Generations generations;
    private final ManagerBase replaced;
    private final Adoption adoption;
    private final Opening opening;
    private final Reaping reaping;
    private final Openers openers = new Openers();
    /** Copies that are not used any more, with what could not leave this JVM. */
    private final Queue<SojournSession> toUnbind = new ConcurrentLinkedQueue<>();
    /** The id of another application's that a session is being created with. */
    private final ThreadLocal<String> given = new ThreadLocal<>();

    /** What somebody wants held that is not. */
    private volatile int limit;

    private volatile boolean exclusive;
    /** What comes with a cookie is almost never one of ours: that it cannot be asked for is no reason to refuse the request. */
    private volatile boolean hasSpringSession;

    SojournManager(Services services, ManagerBase replaced) {
        this.services = services;
        this.replaced = replaced;
        Serializer serializer =
                new Serializer(() -> getContext().getLoader().getClassLoader(), services.filter, this::isClassAllowed);
        this.home = new Home(
                this::label, services.sidecar, serializer, services.requests, services.backlog, services.groups);
        this.generations = new Generations(services.sidecar, services.backlog);
        this.adoption = new Adoption(this, home, sessions);
        this.opening = new Opening(this, adoption, services, generations);
        this.reaping = new Reaping(this, home, sessions, services);
        this.limit = replaced.getMaxActiveSessions();
        ManagerSettings.take(replaced, this);
    }

    /** Whoever embeds Tomcat may set it before the context starts. */
    @Override
    public void setMaxActiveSessions(int max) {
        limit = max;
    }

    /** A session's name in the protocol. Two applications that share a cookie do not share a session. */
    String nameOf(String id, long generation) {
        return Generations.name(contextName() + '\n' + id, generation);
    }

    String contextName() {
        return ContextName.of(getContext());
    }

    /** The request at work uses this session, and needs not ask the store about it any more. */
    void hold(SojournSession session, String id) {
        Scope scope = services.requests.current();
        if (scope != null) {
            scope.firstUse(nameOf(id, 0));
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
    public Session createSession(@Nullable String id) {
        boolean isShared = id != null && SharedIds.arePossible(getContext());
        if (isShared) {
            given.set(id);
        }
        try {
            SojournSession session = (SojournSession) super.createSession(id);
            // It is committed even if nobody sets an attribute: another pod must know the cookie.
            session.state().life().created();
            return session;
        } finally {
            if (isShared) {
                given.remove();
            }
        }
    }

    /** There may have been one of this id, which has ended, and whose name stays ended. Before another request finds it: that would commit it by that name. */
    void beginAgain(SojournSession session, String id) {
        if (!id.equals(given.get())) {
            return;
        }
        try {
            session.naming()
                    .begun(id, generations.begin(nameOf(id, 0), session.state().idleSeconds(), session.created()));
        } catch (Refusal e) {
            Log.debug("nobody says whether a session's id was used before: " + e.getMessage());
        }
    }

    @Override
    public @Nullable Session findSession(@Nullable String id) {
        if (id == null || !getState().isAvailable()) {
            return null;
        }
        SojournSession held = (SojournSession) sessions.get(id);
        Scope scope = services.requests.current();
        if (scope != null && scope.isBusy()) {
            return opening.busy();
        }
        // Who belongs to no request, such as a WebSocket's thread by an accessor, has nothing that it could know from.
        boolean known = scope != null && !scope.firstUse(nameOf(id, 0));
        if (scope != null && !known && services.passivePaths.any()) {
            judge(scope);
        }
        SojournSession found = known ? copyOf(id, held, scope) : opening.open(id, held, scope);
        if (found != null && scope != null) {
            scope.use(found.state());
            found.present();
        }
        return found;
    }

    /** What this request knows of already; what is given another id just now is not here any more. */
    private @Nullable SojournSession copyOf(String id, @Nullable SojournSession held, @Nullable Scope scope) {
        // One that another request has for itself by now would be committed with what that has done by half.
        boolean isOthers = exclusive && held != null && scope != null && !scope.uses(held.state());
        return held == null || isOthers ? null : Copies.named(held, nameOf(id, held.generation().number));
    }

    @Override
    public void backgroundProcess() {
        processExpires();
    }

    @Override
    public void processExpires() {
        Copies.tidy(findSessions(), getContext(), services.config);
        adoption.forgotten.tidy();
        unbind(session -> !(session.isValid() && session.state().isInUse()));
    }

    /** By the container's own thread: who finds a session ended may have locks that the application's code waits for. */
    void unbindLater(SojournSession session) {
        if (session.state().hasLocal()) {
            toUnbind.add(session);
        }
    }

    /** Of one that goes on elsewhere, when the requests that have it here are done: they may bind more. */
    void unbindOnceDone(SojournSession session) {
        toUnbind.add(session);
    }

    private void unbind(Predicate<SojournSession> which) {
        List<SojournSession> others = new ArrayList<>();
        for (SojournSession session = toUnbind.poll(); session != null; session = toUnbind.poll()) {
            if (which.test(session)) {
                attempt(session, SojournSession::unbindLocal);
            } else {
                others.add(session);
            }
        }
        toUnbind.addAll(others);
    }

    /** Another one of that id may have taken its place. */
    @Override
    public void remove(Session session, boolean update) {
        String id = session.getIdInternal();
        if (id != null && sessions.get(id) == session) {
            super.remove(session, update);
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
        // One may have been forgotten while the context stopped: its objects are of the class loader before.
        adoption.forgotten.takeAll();
        Container host = getContext().getParent();
        DrainValve.begin(services, host);
        services.expiries.listen(contextName(), reaping);
        exclusive = services.config.isExclusive(path());
        new BusyValve(services.requests).addOnceTo(host);
        setState(LifecycleState.STARTING);
        hasSpringSession = SpringSession.isIn(getContext());
        if (hasSpringSession) {
            Log.warn(SpringSession.complaint(label()));
        } else {
            Log.info("sessions are kept by Sojourn: context=" + label() + " server=" + ServerInfo.getServerInfo());
        }
        LocalLogins.complaints(getContext(), label()).forEach(Log::warn);
        complain(SessionLimit.complaint(limit, label()));
        complain(LeftStore.complaint(replaced, label()));
    }

    private static void complain(@Nullable String complaint) {
        if (complaint != null) {
            Log.warn(complaint);
        }
    }

    @Override
    protected void stopInternal() throws LifecycleException {
        setState(LifecycleState.STOPPING);
        services.expiries.stopListening(contextName(), reaping);
        for (Session session : findSessions()) {
            // Almost always nothing: every request has committed its own.
            attempt((SojournSession) session, held -> held.state().commitStrayed());
            attempt((SojournSession) session, SojournSession::passivate);
            attempt((SojournSession) session, SojournSession::unbindLocal);
        }
        unbind(session -> true);
        sessions.clear();
        // Passivated already; a socket's endpoint may have changed what is in one since.
        adoption.forgotten
                .takeAll()
                .forEach(held -> attempt(held, forgotten -> forgotten.state().commitStrayed()));
        super.stopInternal();
    }

    private void attempt(SojournSession session, Consumer<SojournSession> step) {
        Copies.attempt(session, getContext(), step);
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

    Adoption adoption() {
        return adoption;
    }

    /** What this JVM holds, whatever has become of it: nobody is asked. */
    @Nullable
    SojournSession held(String id) {
        return (SojournSession) sessions.get(id);
    }

    boolean has(SojournSession session) {
        return sessions.get(session.getIdInternal()) == session;
    }

    void renamed(String from, String to) {
        services.ends.renamed(from, to);
    }

    /** Until its end something is open that Tomcat knows by this key. */
    void opens(SojournSession session, String key) {
        openers.opens(session, key);
        services.ends.await(session.state().name(), session.naming(), key);
    }

    Openers openers() {
        return openers;
    }

    private String path() {
        String path = getContext().getPath();
        return path.isEmpty() ? "/" : path;
    }

    boolean isExclusive() {
        return exclusive;
    }

    boolean hasSpringSession() {
        return hasSpringSession;
    }

    String label() {
        String name = getContext() == null ? "" : contextName();
        return name.isEmpty() ? "/" : name;
    }

    private boolean isClassAllowed(String className) {
        Pattern pattern = getSessionAttributeValueClassNamePattern();
        return pattern == null || pattern.matcher(className).matches();
    }
}
