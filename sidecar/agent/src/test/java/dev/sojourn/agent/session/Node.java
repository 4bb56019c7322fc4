package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One JVM with one session of the name "s", as a container would drive it. */
final class Node implements SessionState.Host {
    final Requests requests = new Requests();
    final Backlog backlog;
    final SessionState session;
    final Home home;
    private final FakeStore store;
    int idle = 1_800;
    /** What happens when that is asked for. */
    Runnable whenIdleIsAsked = () -> {};

    boolean gone;
    /** What holds the response's bytes back; null: nothing can. */
    @Nullable
    Later response;

    /** The session that the request at work has, though it may not have used it; null: none. */
    @Nullable
    SessionState named;

    /** Names of attributes that stay in this JVM. */
    Predicate<String> keeps = name -> name.startsWith("private.");

    /** Objects that want to be told that they have come. */
    Predicate<Object> hears = value -> true;

    /** Threads tell of them side by side. */
    final List<Object> activated = Collections.synchronizedList(new ArrayList<>());
    /** What an object does that is told that it has come. */
    Runnable whenActivated = () -> {};

    Node(FakeStore store) {
        this(store, Groups.NONE);
    }

    Node(FakeStore store, Groups groups) {
        this(store, groups, new Backlog(store, Runnable::run), "s");
    }

    /** One more session of the same JVM's. */
    Node(FakeStore store, Backlog backlog, String name) {
        this(store, Groups.NONE, backlog, name);
    }

    private Node(FakeStore store, Groups groups, Backlog backlog, String name) {
        this.store = store;
        this.backlog = backlog;
        Serializer serializer = new Serializer(Node.class::getClassLoader, StreamFilter.of(""), type -> true);
        home = new Home(() -> "/test", store, serializer, requests, backlog, groups);
        session = new SessionState(home, this, name);
    }

    /** One request from beginning to end. */
    void request(Runnable application) {
        request(application, false);
    }

    /** One that is no access. */
    void poll(Runnable application) {
        request(application, true);
    }

    private void request(Runnable application, boolean passive) {
        requests.enter(this, true);
        Scope scope = requests.current();
        if (scope == null) {
            throw new AssertionError("no scope");
        }
        if (passive) {
            scope.markPassive();
        }
        open();
        scope.use(session);
        requests.inside(true);
        application.run();
        requests.inside(false);
        bytes(true);
        requests.exit(this, true);
    }

    /** Of the request at work, some bytes are about to leave, or the last. */
    void bytes(boolean last) {
        requests.beforeBytes(this, last, () -> named, () -> response);
    }

    /** As the manager does when it has opened the session exclusively. */
    void claim(long lock) {
        Scope scope = requests.current();
        if (scope == null) {
            throw new AssertionError("no scope");
        }
        scope.claim(session, lock);
    }

    void open() {
        long held = session.version();
        if (held == 0 && !store.has("s")) {
            return;
        }
        try {
            Scope scope = requests.used();
            Opened opened = store.open("s", held, scope != null && scope.isPassive());
            if (opened != null) {
                session.opened(opened, held);
                session.compareBehind();
            }
        } catch (Refusal ignored) {
            // The copy serves, as in the real manager.
        }
    }

    Object get(String name) {
        Object value = session.get(name);
        return value == null ? "nothing" : value;
    }

    @Override
    public long created() {
        return 1;
    }

    @Override
    public int idle() {
        whenIdleIsAsked.run();
        return idle;
    }

    @Override
    public void idleIs(int seconds) {
        idle = seconds;
    }

    @Override
    public boolean mayLeave(String attribute, Object value) {
        return !keeps.test(attribute);
    }

    @Override
    public void gone() {
        gone = true;
    }

    @Override
    public boolean hears(Object value) {
        return hears.test(value);
    }

    @Override
    public void activated(Object value) {
        activated.add(value);
        whenActivated.run();
    }
}
