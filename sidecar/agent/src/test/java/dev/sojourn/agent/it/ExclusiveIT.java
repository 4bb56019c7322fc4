package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** One request of a session at a time, wherever it is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init")
class ExclusiveIT {
    private static final String SETTINGS = "patience=1s,concurrency=exclusive,concurrency.contexts=/app";

    private Pods pods;
    private Daemon daemonA;
    private Daemon daemonB;
    private TomcatNode a;
    private TomcatNode b;
    private Browser user = new Browser();

    @BeforeAll
    void start() throws Exception {
        pods = new Pods("exclusive", new StockTomcat("10.1.54", true));
        Map<String, String> patience = Map.of("SOJOURN_STORE_PATIENCE", "8s");
        daemonA = pods.daemon("a", patience);
        daemonB = pods.daemon("b", patience);
        a = pods.tomcat("a", daemonA.socket, Release.THIS, SETTINGS);
        b = pods.tomcat("b", daemonB.socket, Release.THIS, SETTINGS);
        a.awaitStarted();
        b.awaitStarted();
    }

    @BeforeEach
    void somebodyNew() {
        user = new Browser();
    }

    @AfterAll
    void stop() throws Exception {
        pods.close();
    }

    /** With a daemon's claims its locks are lost, and what was changed under them: on a machine that is busy it is tried again with somebody new. */
    @Test
    void changesOfTheSameAttributeAllSurvive() throws Exception {
        int survived;
        long before;
        do {
            before = lapses();
            somebodyNew();
            survived = changesOfTheSameAttribute();
        } while (survived != 21 && lapses() > before);
        assertEquals(21, survived);
        assertEquals(21, user.get(b, "op=get&name=list").split(",").length);
    }

    /** How often claims of any have become void, which is known where they are trusted again. */
    private long lapses() throws Exception {
        long lapses = 0;
        for (Daemon daemon : List.of(daemonA, daemonB)) {
            Eventually.holds("claims", Nodes.SOON, () -> daemon.metric("sojourn_claims_trusted") == 1);
            lapses += daemon.metric("sojourn_claim_lapses_total");
        }
        return lapses;
    }

    private int changesOfTheSameAttribute() throws Exception {
        user.get(a, "op=append&name=list&value=x");
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(untilItHasATurn(i % 2 == 0 ? a : b, "op=append&name=list&value=" + i));
        }
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
        }
        return user.get(a, "op=get&name=list").split(",").length;
    }

    /** One that has waited for too long has done nothing, and comes again. */
    private CompletableFuture<HttpResponse<String>> untilItHasATurn(TomcatNode node, String query) {
        return user.later(node, query)
                .thenCompose(answer -> answer.statusCode() == 503
                        ? untilItHasATurn(node, query)
                        : CompletableFuture.completedFuture(answer));
    }

    @Test
    void oneThatWaitsTooLongIsToldToComeAgainAndOneThatTakesTooLongLosesIt() throws Exception {
        user.get(a, "op=set&name=x&value=before");
        String cookie = user.cookie();
        CompletableFuture<HttpResponse<String>> first = user.later(a, "op=gated&gate=turn&name=x&value=first");
        Nodes.awaitInFlight(a, "turn", 1);
        HttpResponse<String> busy = user.response(a, "/app", "op=set&name=y&value=second");
        assertEquals(503, busy.statusCode());
        assertEquals("1", busy.headers().firstValue("Retry-After").orElse(""));
        assertEquals(
                "true", busy.headers().firstValue("x-envoy-ratelimited").orElse(""), "Envoy is not to try it again");
        assertFalse(busy.body().contains("SessionBusy"), busy.body());
        assertEquals(cookie, user.cookie(), "no new session");
        // By now the first has had it for longer than the patience.
        Eventually.holds(
                "another pod takes it over",
                Nodes.SOON,
                () -> user.response(b, "/app", "op=set&name=y&value=third").statusCode() == 200);
        // And then one on the pod of the first, which must not go on with what this one has.
        Eventually.holds(
                "so does one on the first's own pod",
                Nodes.SOON,
                () -> user.response(a, "/app", "op=set&name=y&value=fourth").statusCode() == 200);
        // The gate is opened by a request without this session.
        new Browser().get(a, "op=open&gate=turn");
        first.get(60, TimeUnit.SECONDS);
        assertEquals("before", user.get(b, "op=get&name=x"));
        assertEquals("fourth", user.get(a, "op=get&name=y"));
        assertEquals("before", user.get(a, "op=get&name=x"));
        assertTrue(a.logged().contains("changes are dropped"), "no line in the log");
    }

    @Test
    void oneThatWaitsHasItsSessionThoughTheOneBeforeLostItMeanwhile() throws Exception {
        user.get(a, "op=set&name=x&value=before");
        String cookie = user.cookie();
        CompletableFuture<HttpResponse<String>> first = user.later(a, "op=gated&gate=lost&name=x&value=first");
        Nodes.awaitInFlight(a, "lost", 1);
        // Each may have to come again: the one before keeps it for as long as this one waits.
        CompletableFuture<HttpResponse<String>> second = untilItHasATurn(b, "op=gated&gate=taken&name=y&value=second");
        Nodes.awaitInFlight(b, "taken", 1);
        long asked = daemonA.requests("open");
        CompletableFuture<HttpResponse<String>> third = untilItHasATurn(a, "op=get&name=x");
        Eventually.holds("it waits", Nodes.SOON, () -> daemonA.requests("open") > asked);
        new Browser().get(a, "op=open&gate=lost");
        first.get(60, TimeUnit.SECONDS);
        new Browser().get(b, "op=open&gate=taken");
        second.get(60, TimeUnit.SECONDS);
        assertEquals("before", third.get(60, TimeUnit.SECONDS).body());
        assertEquals("second", user.get(a, "op=get&name=y"));
        assertEquals(cookie, user.cookie(), "no new session");
    }

    @Test
    void anAsyncStreamThatHasFailedGivesItsSessionBack() throws Exception {
        user.get(a, "op=create");
        try (Streams streams = Streams.to(a)) {
            streams.get("op=asyncgated&gate=stream&name=x&value=1", user);
            Nodes.awaitInFlight(a, "stream", 1);
            streams.fail(Streams.Failure.FLOW_CONTROL);
            new Browser().get(a, "op=open&gate=stream");
            assertEquals(
                    "1",
                    untilItHasATurn(a, "op=get&name=x")
                            .get(60, TimeUnit.SECONDS)
                            .body());
        }
    }

    @Test
    void oneRequestMayUseItsSessionAgainAndAgain() throws Exception {
        user.get(a, "op=create");
        for (TomcatNode node : List.of(a, b)) {
            user.get(node, "op=forward&name=x&value=1");
            user.get(node, "op=include&name=x&value=2");
            user.get(node, "op=asyncdispatch&name=x&value=3");
            user.get(node, "op=asyncappend&name=list&value=4");
            assertEquals(
                    500, user.response(node, "/app", "op=fail&name=y&value=5").statusCode());
            user.get(node, "op=rotate");
        }
        assertTrue(user.get(a, "op=names").contains("error"));
        assertNotEquals("null", user.get(b, "op=get&name=list"));
    }

    @Test
    void otherContextsAreShared() throws Exception {
        Browser other = new Browser();
        other.response(a, "/other", "op=create");
        CompletableFuture<HttpResponse<String>> first =
                other.later(a, "/other", "op=gated&gate=shared&name=x&value=first");
        Nodes.awaitInFlight(a, "/other", "shared", 1);
        assertEquals(200, other.response(b, "/other", "op=get&name=x").statusCode());
        new Browser().response(a, "/other", "op=open&gate=shared");
        assertEquals(200, first.get(60, TimeUnit.SECONDS).statusCode());
    }
}
