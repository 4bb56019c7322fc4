package dev.sojourn.agent.it;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** Starts them once for all cases of a container. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
abstract class TwoNodes implements Nodes {
    private final String name;
    private final Server server;
    private @Nullable Pods pods;
    private Daemon daemonA;
    private Daemon daemonB;
    private TomcatNode a;
    private TomcatNode b;
    private Browser user = new Browser();

    TwoNodes(String name, Server server) {
        this.name = name;
        this.server = server;
    }

    /** The agent's, for both nodes. */
    String settings() {
        return "patience=1s,group=one.*,two.*,passive.paths=/app/po*";
    }

    /** All daemons', beside those that every test has. */
    Map<String, String> daemonSettings() {
        return Map.of();
    }

    @BeforeAll
    void start() throws Exception {
        Pods started = new Pods(name, server, daemonSettings());
        pods = started;
        daemonA = started.daemon("a");
        daemonB = started.daemon("b");
        a = started.tomcat("a", daemonA.socket, Release.THIS, settings());
        b = started.tomcat("b", daemonB.socket, Release.NEXT, settings());
        a.awaitStarted();
        b.awaitStarted();
    }

    @BeforeEach
    void somebodyNew() {
        user = new Browser();
    }

    @AfterAll
    void stop() throws Exception {
        if (pods != null) {
            pods.close();
        }
    }

    @Override
    public TomcatNode a() {
        return a;
    }

    @Override
    public TomcatNode b() {
        return b;
    }

    @Override
    public Daemon daemonA() {
        return daemonA;
    }

    @Override
    public Daemon daemonB() {
        return daemonB;
    }

    @Override
    public Browser user() {
        return user;
    }

    @Override
    public Pods pods() {
        if (pods == null) {
            throw new IllegalStateException("not started");
        }
        return pods;
    }
}
