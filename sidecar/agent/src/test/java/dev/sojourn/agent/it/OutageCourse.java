package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;

/** Two nodes with the settings that nobody has changed, a store of their own, and users who click before, while and after it is away. */
@SuppressWarnings("NullAway.Init")
final class OutageCourse implements AutoCloseable {
    /** As the daemon has it by default: nobody waits any more after that. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final Duration LATE = Duration.ofMinutes(1);

    private static final int CLICKS = 5;

    private final StoreOutage kind;
    private final ExecutorService threads;
    private final Pods pods;
    private final SlowLink link;
    private final List<Daemon> daemons = new ArrayList<>();
    private TomcatNode a;
    private TomcatNode b;
    private final List<Clicker> users = new ArrayList<>();
    private final Browser leaver = new Browser();

    OutageCourse(StoreOutage kind, ExecutorService threads) throws Exception {
        this.kind = kind;
        this.threads = threads;
        StockTomcat server = new StockTomcat("10.1.54", true);
        server.contexts("app");
        // Not those that other tests are quicker by.
        pods = new Pods("outage-" + kind, server, Map.of("SOJOURN_STORE_PATIENCE", "", "SOJOURN_REAP_EVERY", ""));
        link = new SlowLink(pods.store.port);
    }

    private TomcatNode start(String name) throws Exception {
        // A link takes connections though its store does not.
        Map<String, String> through =
                kind == StoreOutage.SLOW ? Map.of("SOJOURN_STORE_URL", "redis://127.0.0.1:" + link.port()) : Map.of();
        Daemon daemon = pods.daemon(name, through);
        daemons.add(daemon);
        return pods.tomcat(name, daemon.socket, Release.THIS, "");
    }

    void run(Duration length) throws Exception {
        a = start("a");
        b = start("b");
        a.awaitStarted();
        b.awaitStarted();
        before();
        kind.begin.take(pods.store, link);
        long began = System.nanoTime();
        TomcatNode late = meanwhile();
        Eventually.holds(
                "it is away for so long",
                length.plus(PATIENCE),
                () -> elapsed(began).compareTo(length) > 0 && elapsed(began).compareTo(PATIENCE) > 0);
        eachClicks("and nobody waits any more");
        System.out.println("outage " + kind + ": " + users);
        assertTrue(counted("store_failures", kind.failure) > 0, "sidecars have not met it: " + kind);
        kind.end.take(pods.store, link);
        eachClicks("once it is back");
        for (Clicker user : users) {
            user.stop();
        }
        for (Clicker user : users) {
            isEverywhere(user, late);
        }
        isOver(late);
        everyKeyHasAnEnd();
        for (TomcatNode node : List.of(a, b, late)) {
            assertFalse(
                    node.logged().contains("no answer from the sidecar"), "it was there, and took its time: " + kind);
        }
        assertTrue(kind.refilled.isEmpty() || counted("refilled", kind.refilled) > 0, "nothing was lost: " + kind);
    }

    private void before() throws Exception {
        users.add(new Clicker("Ann", a, threads));
        users.add(new Clicker("Bob", a, threads));
        users.add(new Clicker("Cid", b, threads));
        users.add(new Clicker("Dan", b, threads));
        leaver.get(a, "op=set&name=user&value=Eve");
        assertEquals("Eve", leaver.get(b, "op=get&name=user"));
        eachClicks("at first");
        if (kind == StoreOutage.BEHIND) {
            pods.store.save();
            eachClicks("and it is not saved");
        }
    }

    /** Somebody leaves, somebody comes, and a node does. */
    private TomcatNode meanwhile() throws Exception {
        users.add(new Clicker("Fay, who is new", a, threads));
        TomcatNode late = start("late");
        leaver.get(a, "op=invalidate");
        assertEquals("false", leaver.get(a, "op=has"));
        late.awaitStarted();
        users.add(new Clicker("Gus, who is new at a new node", late, threads));
        return late;
    }

    private long counted(String what, String kind) throws Exception {
        long sum = 0;
        for (Daemon daemon : daemons) {
            sum += daemon.metric("sojourn_" + what + "_total{kind=\"" + kind + "\"}");
        }
        return sum;
    }

    private static Duration elapsed(long since) {
        return Duration.ofNanos(System.nanoTime() - since);
    }

    /** A few times more, from now on. */
    private void eachClicks(String when) throws Exception {
        List<Integer> before = new ArrayList<>();
        for (Clicker user : users) {
            before.add(user.count());
        }
        for (int i = 0; i < users.size(); i++) {
            Clicker user = users.get(i);
            int enough = before.get(i) + CLICKS;
            Eventually.holds(user.name + " clicks, " + when + ": " + kind, LATE, () -> user.count() >= enough);
        }
    }

    /** What was answered last is what is answered now, wherever. */
    private void isEverywhere(Clicker user, TomcatNode late) throws Exception {
        TomcatNode other = user.node() == b ? a : b;
        String newest = "" + user.count();
        // Each sidecar finds the store again by itself.
        for (TomcatNode node : List.of(other, late)) {
            Eventually.holds(
                    user.name + "'s " + newest + " is at " + node.url + ": " + kind,
                    Nodes.SOON.multipliedBy(2),
                    () -> user.browser.isAnswered(node, "op=get&name=n", newest));
        }
        for (TomcatNode node : List.of(other, late, user.node())) {
            user.click(node);
        }
    }

    /** Who has logged out has done so everywhere, and whoever comes with that cookie is somebody new. */
    private void isOver(TomcatNode late) throws Exception {
        Browser old = leaver.withCookie(leaver.cookie());
        for (TomcatNode node : List.of(b, late)) {
            Eventually.holds(
                    "the end is known at " + node.url + ": " + kind,
                    Nodes.SOON.multipliedBy(2),
                    () -> old.isAnswered(node, "op=has", "false"));
        }
        for (TomcatNode node : List.of(a, b, late)) {
            assertEquals("false", old.get(node, "op=has"));
        }
        assertEquals("null", leaver.get(b, "op=get&name=user"));
        leaver.get(b, "op=set&name=user&value=Eve");
        assertEquals("Eve", leaver.get(a, "op=get&name=user"));
        assertEquals("false", old.get(b, "op=has"));
    }

    private void everyKeyHasAnEnd() throws Exception {
        int keys = pods.store.keysWithAnEnd();
        assertTrue(keys > users.size(), keys + " keys");
    }

    @Override
    public void close() throws Exception {
        for (Clicker user : users) {
            user.leave();
        }
        link.close();
        pods.close();
    }
}
