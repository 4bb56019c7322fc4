package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a session does on any pod of any supported Tomcat. Node b lacks one class, as an older version would. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
abstract class Conformance {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String HEADER = "x-envoy-immediate-health-check-fail";

    private final String version;
    private final boolean jakarta;
    private @Nullable Pods pods;
    private Daemon daemonA;
    private TomcatNode a;
    private TomcatNode b;

    private Browser user = new Browser();

    Conformance(String version, boolean jakarta) {
        this.version = version;
        this.jakarta = jakarta;
    }

    @BeforeAll
    void start() throws Exception {
        Pods started = new Pods(version, jakarta);
        pods = started;
        daemonA = started.daemon("a");
        Daemon daemonB = started.daemon("b");
        a = started.tomcat("a", daemonA.socket, "nothing", "patience=1s");
        b = started.tomcat("b", daemonB.socket, "OnlyHere", "patience=1s");
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

    @Test
    void whatWasSetIsOnTheOtherNode() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        assertEquals("Ann", user.get(b, "op=get&name=user"));
        user.get(b, "op=set&name=user&value=Bea");
        assertEquals("Bea", user.get(a, "op=get&name=user"));
    }

    @Test
    void alternatingNodesNeverSeeAnythingOld() throws Exception {
        for (int i = 0; i < 50; i++) {
            user.get(i % 2 == 0 ? a : b, "op=append&name=list&value=" + i);
        }
        String list = user.get(b, "op=get&name=list");
        assertEquals(50, list.split(",").length, list);
    }

    @Test
    void aSessionWithoutAnyAttributeIsKnownEverywhere() throws Exception {
        user.get(a, "op=create");
        String facts = user.get(a, "op=facts");
        assertEquals(facts, user.get(b, "op=facts"));
        assertTrue(facts.startsWith("false "), facts);
    }

    @Test
    void aChangeInPlaceTravels() throws Exception {
        user.get(a, "op=append&name=list&value=x");
        user.get(a, "op=append&name=list&value=y");
        assertEquals("[x, y]", user.get(b, "op=get&name=list"));
    }

    @Test
    void aRemovalTravels() throws Exception {
        user.get(a, "op=set&name=one&value=1");
        user.get(a, "op=set&name=two&value=2");
        user.get(b, "op=remove&name=one");
        assertEquals("[two]", user.get(a, "op=names"));
        assertEquals("[two]", user.get(b, "op=names"));
    }

    @Test
    void anUnchangedSessionIsNotCommitted() throws Exception {
        user.get(a, "op=append&name=list&value=x");
        long before = pods().store.scripts();
        user.get(a, "op=get&name=list");
        assertTrue(pods().store.scripts() - before <= 1, "more than the opening");
        before = pods().store.scripts();
        user.get(a, "op=stateless");
        assertEquals(0, pods().store.scripts() - before, "a request that does not use its session asks nobody");
    }

    @Test
    void anEndIsSeenByTheOtherNode() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        user.get(b, "op=get&name=user");
        int destroyed = counter(a, "destroyed") + counter(b, "destroyed");
        user.get(a, "op=invalidate");
        assertEquals("false", user.get(b, "op=has"));
        assertEquals("false", user.get(a, "op=has"));
        assertEquals(destroyed + 1, counter(a, "destroyed") + counter(b, "destroyed"));
    }

    @Test
    void aRequestInFlightCannotUndoALogout() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        CompletableFuture<HttpResponse<String>> late = user.later(b, "op=gated&gate=logout&name=user&value=zombie");
        String cookie = user.cookie();
        awaitInFlight(b);
        user.get(a, "op=invalidate");
        user.get(b, "op=open&gate=logout");
        late.get(20, TimeUnit.SECONDS);
        assertEquals("false", user.withCookie(cookie).get(a, "op=has"));
        assertEquals("false", user.withCookie(cookie).get(b, "op=has"));
    }

    @Test
    void aNewIdKeepsTheAttributesAndEndsTheOldId() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        user.get(b, "op=get&name=user");
        String old = user.cookie();
        user.get(a, "op=rotate");
        assertNotEquals(old, user.cookie());
        assertEquals("Ann", user.get(b, "op=get&name=user"));
        user.get(b, "op=set&name=user&value=Bea");
        assertEquals("Bea", user.get(a, "op=get&name=user"));
        assertEquals("false", user.withCookie(old).get(a, "op=has"));
        assertEquals("false", user.withCookie(old).get(b, "op=has"));
    }

    @Test
    void anIdleSessionEndsOnceAndIsGoneEverywhere() throws Exception {
        int destroyed = counter(a, "destroyed") + counter(b, "destroyed");
        user.get(b, "op=create");
        user.get(a, "op=timeout&value=2");
        // Asked without a cookie, so that nobody uses the session meanwhile.
        Eventually.holds(
                "one node tells its listeners",
                SOON,
                () -> counter(a, "destroyed") + counter(b, "destroyed") > destroyed);
        assertEquals("false", user.get(a, "op=has"));
        assertEquals("false", user.get(b, "op=has"));
        assertEquals(destroyed + 1, counter(a, "destroyed") + counter(b, "destroyed"));
    }

    @Test
    void anIdleNodeDoesNotEndWhatIsUsedElsewhere() throws Exception {
        user.get(b, "op=set&name=user&value=Ann");
        user.get(b, "op=timeout&value=3");
        long until = System.nanoTime() + Duration.ofSeconds(6).toNanos();
        while (System.nanoTime() < until) {
            assertEquals("Ann", user.get(a, "op=get&name=user"));
        }
        assertEquals("Ann", user.get(b, "op=get&name=user"));
    }

    @Test
    void aRedirectRightAfterLoginFindsIt() throws Exception {
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> redirect = user.response(a, "/app", "op=redirect&name=user&value=" + i);
            assertEquals(302, redirect.statusCode());
            assertEquals("" + i, user.get(b, "op=get&name=user"));
        }
    }

    @Test
    void itIsCommittedBeforeTheFirstByteAndWhatComesLaterBeforeTheEnd() throws Exception {
        user.get(a, "op=create");
        HttpResponse<InputStream> response = user.streamed(a, "op=stream&gate=stream&name=x&value=early");
        assertEquals("early", user.get(b, "op=get&name=x"));
        user.get(a, "op=open&gate=stream");
        assertEquals("firstlast", Browser.read(response.body()));
        assertEquals("early late", user.get(b, "op=get&name=x"));
    }

    @Test
    void closingTheResponseDoesNotStopTheCommit() throws Exception {
        user.get(a, "op=create");
        user.get(a, "op=closeearly&name=x&value=1");
        Eventually.holds(
                "what was set after the response was closed",
                SOON,
                () -> user.get(b, "op=get&name=x").equals("1"));
    }

    @Test
    void concurrentRequestsOnDifferentAttributesAllSurvive() throws Exception {
        user.get(a, "op=create");
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            all.add(user.later(i % 2 == 0 ? a : b, "op=gated&gate=concurrent&name=n" + i + "&value=" + i));
        }
        awaitInFlight(a);
        awaitInFlight(b);
        user.get(a, "op=open&gate=concurrent");
        user.get(b, "op=open&gate=concurrent");
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(200, each.get(20, TimeUnit.SECONDS).statusCode());
        }
        assertEquals(32, user.get(a, "op=names").split(",").length);
        assertEquals(32, user.get(b, "op=names").split(",").length);
    }

    @Test
    void whatCannotBeSerializedStaysAndIsNamedInTheLog() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        user.get(a, "op=local&name=worker");
        assertTrue(user.get(a, "op=get&name=worker").startsWith("Thread["));
        assertEquals("null", user.get(b, "op=get&name=worker"));
        assertEquals("Ann", user.get(b, "op=get&name=user"));
        assertTrue(a.logged().contains("context=/app attribute=worker class=java.lang.Thread"), "no line in the log");
    }

    @Test
    void aClassThatOneNodeLacksCostsThatAttributeThere() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        user.get(a, "op=onlyhere&name=new&value=kept");
        assertEquals("null", user.get(b, "op=get&name=new"));
        assertEquals("Ann", user.get(b, "op=get&name=user"));
        user.get(b, "op=set&name=user&value=Bea");
        assertEquals("kept", user.get(a, "op=get&name=new"));
        assertTrue(b.logged().contains("attribute=new cause=java.lang.ClassNotFoundException"), "no line in the log");
    }

    @Test
    void anAsyncRequestCommitsWhenItCompletes() throws Exception {
        for (int i = 0; i < 20; i++) {
            user.get(a, "op=asyncset&name=x&value=" + i);
            assertEquals("" + i, user.get(b, "op=get&name=x"));
            user.get(b, "op=asyncappend&name=list&value=" + i);
        }
        assertEquals(20, user.get(a, "op=get&name=list").split(",").length);
    }

    @Test
    void twoContextsDoNotShareASession() throws Exception {
        user.get(a, "op=set&name=user&value=Ann");
        assertEquals("false", user.response(a, "/other", "op=has").body());
        assertEquals("false", user.response(b, "/other", "op=has").body());
    }

    @Test
    void forwardsAndErrorDispatchesAreOfTheRequest() throws Exception {
        user.get(a, "op=forward&name=x&value=forwarded");
        assertEquals("[before, x]", user.get(b, "op=names"));
        assertEquals(
                500, user.response(b, "/app", "op=fail&name=y&value=failed").statusCode());
        assertEquals("[before, error, x, y]", user.get(a, "op=names"));
    }

    @Test
    void listenersHearOfLocalChangesOnly() throws Exception {
        int created = counter(a, "created") + counter(b, "created");
        user.get(a, "op=set&name=x&value=1");
        int added = counter(b, "added");
        int replaced = counter(b, "replaced");
        user.get(b, "op=get&name=x");
        assertEquals(added, counter(b, "added"));
        user.get(b, "op=set&name=x&value=2");
        assertEquals(replaced + 1, counter(b, "replaced"));
        assertEquals(created + 1, counter(a, "created") + counter(b, "created"));
    }

    @Test
    void withoutItsSidecarANodeGoesOnAndCatchesUp() throws Exception {
        user.get(a, "op=set&name=x&value=1");
        daemonA.kill();
        try {
            user.get(a, "op=set&name=x&value=2");
            assertEquals("2", user.get(a, "op=get&name=x"));
            Browser another = new Browser();
            another.get(a, "op=set&name=x&value=born");
            assertEquals("born", another.get(a, "op=get&name=x"));
            daemonA.start();
            Eventually.holds(
                    "the changes of the outage are on the other node",
                    SOON,
                    () -> user.get(b, "op=get&name=x").equals("2"));
            Eventually.holds(
                    "so is the session that was born in it",
                    SOON,
                    () -> another.withCookie(another.cookie())
                            .get(b, "op=get&name=x")
                            .equals("born"));
        } finally {
            daemonA.start();
        }
    }

    @Test
    void aSidecarThatRestartsIsNotNoticed() throws Exception {
        user.get(a, "op=set&name=x&value=1");
        daemonA.kill();
        CompletableFuture<HttpResponse<String>> during = user.later(a, "op=get&name=x");
        daemonA.start();
        assertEquals("1", during.get(20, TimeUnit.SECONDS).body());
        assertEquals("1", user.get(a, "op=get&name=x"));
    }

    @Test
    void theContainersLoginTravels() throws Exception {
        user.get(a, "op=login&name=ann&value=secret");
        assertEquals("ann", user.get(b, "op=who"));
        assertEquals("[]", user.get(b, "op=names"));
    }

    @Test
    void aStoreThatIsAwayIsNotNoticedAndCaughtUpWith() throws Exception {
        user.get(a, "op=set&name=x&value=1");
        pods().store.pause();
        try {
            user.get(a, "op=set&name=x&value=2");
            assertEquals("2", user.get(a, "op=get&name=x"));
        } finally {
            pods().store.resume();
        }
        // Always with the old cookie: while its sidecar cannot reach the store, b takes the session for a new one.
        String cookie = user.cookie();
        Eventually.holds(
                "the changes of the outage are on the other node",
                SOON,
                () -> user.withCookie(cookie).get(b, "op=get&name=x").equals("2"));
    }

    @Test
    void aDrainingPodSaysSoAndTermWaitsForTheRequestInFlight() throws Exception {
        Daemon daemon = pods().daemon("c");
        TomcatNode c = pods().tomcat("c", daemon.socket, "nothing", "drain.quiet=300ms")
                .awaitStarted();
        user.get(c, "op=set&name=x&value=1");
        assertFalse(user.response(c, "/app", "op=stateless")
                .headers()
                .firstValue(HEADER)
                .isPresent());
        daemon.drain();
        Eventually.holds(
                "responses say that the pod is leaving",
                SOON,
                () -> user.response(c, "/app", "op=stateless")
                        .headers()
                        .firstValue(HEADER)
                        .isPresent());
        CompletableFuture<HttpResponse<String>> inFlight = user.later(c, "op=gated&gate=term&name=x&value=last");
        awaitInFlight(c);
        c.terminate();
        Eventually.holds("SIGTERM was seen", SOON, () -> c.logged().contains("sojourn: SIGTERM received at="));
        user.get(c, "op=open&gate=term");
        assertEquals(200, inFlight.get(20, TimeUnit.SECONDS).statusCode());
        assertEquals(143, c.exit(20));
        assertTrue(c.logged().matches("(?s).*sojourn: drain announced at=\\d+\n.*"), c.logged());
        assertTrue(c.logged().matches("(?s).*sojourn: draining done after \\d+ ms, 0 requests in flight\n.*"));
        assertTrue(c.logged().matches("(?s).*sojourn: SIGTERM handed on at=\\d+ waited=\\d+ inflight=0\n.*"));
        assertEquals("last", user.get(b, "op=get&name=x"));
    }

    @Test
    void withoutAnySidecarItIsAnOrdinaryTomcat() throws Exception {
        TomcatNode alone = pods().tomcat("alone", pods().noSocket(), "nothing", "patience=100ms")
                .awaitStarted();
        user.get(alone, "op=append&name=list&value=x");
        user.get(alone, "op=append&name=list&value=y");
        assertEquals("[x, y]", user.get(alone, "op=get&name=list"));
        String old = user.cookie();
        user.get(alone, "op=rotate");
        assertEquals("[x, y]", user.get(alone, "op=get&name=list"));
        assertEquals("false", user.withCookie(old).get(alone, "op=has"));
        user.get(alone, "op=invalidate");
        assertEquals("false", user.get(alone, "op=has"));

        int destroyed = counter(alone, "destroyed");
        user.get(alone, "op=timeout&value=1");
        Eventually.holds("an idle session ends", SOON, () -> counter(alone, "destroyed") == destroyed + 1);
        assertEquals("false", user.get(alone, "op=has"));
    }

    private Pods pods() {
        if (pods == null) {
            throw new IllegalStateException("not started");
        }
        return pods;
    }

    /** The gated requests wait inside the application. */
    private static void awaitInFlight(TomcatNode node) throws Exception {
        Browser probe = new Browser();
        Eventually.holds("requests wait at a gate", SOON, () -> counter(probe, node, "waiting") > 0);
    }

    private static int counter(TomcatNode node, String name) throws Exception {
        return counter(new Browser(), node, name);
    }

    private static int counter(Browser browser, TomcatNode node, String name) throws Exception {
        String report = browser.get(node, "op=counters");
        return Integer.parseInt(report.replaceAll("(?s).*" + name + "=(\\d+).*", "$1"));
    }
}
