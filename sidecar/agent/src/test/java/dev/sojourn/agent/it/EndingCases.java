package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How sessions end, and how they get another id. */
interface EndingCases extends Nodes {
    @Test
    default void anEndIsSeenByTheOtherNode() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        int destroyed = counters("destroyed");
        user().get(a(), "op=invalidate");
        assertEquals("false", user().get(b(), "op=has"));
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    @Test
    default void ofTwoLogoutsAtOnceOnlyTheOneThatEndsItIsHeardOf() throws Exception {
        user().get(a(), "op=bound&name=x&value=1");
        CompletableFuture<HttpResponse<String>> first = user().later(a(), "op=gatedinvalidate&gate=twice");
        CompletableFuture<HttpResponse<String>> second = user().later(b(), "op=gatedinvalidate&gate=twice");
        Nodes.awaitInFlight(a(), "twice", 1);
        Nodes.awaitInFlight(b(), "twice", 1);
        int destroyed = counters("destroyed");
        int unbound = counters("unbound");
        int removed = counters("removed");
        Browser opens = new Browser();
        opens.get(a(), "op=open&gate=twice");
        opens.get(b(), "op=open&gate=twice");
        assertEquals(200, first.get(60, TimeUnit.SECONDS).statusCode());
        assertEquals(200, second.get(60, TimeUnit.SECONDS).statusCode());
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals("false", user().get(b(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
        assertEquals(unbound + 1, counters("unbound"));
        assertEquals(removed + 1, counters("removed"));
    }

    @Test
    default void aRequestInFlightCannotUndoALogout() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        CompletableFuture<HttpResponse<String>> late = user().later(b(), "op=gated&gate=logout&name=user&value=zombie");
        String cookie = user().cookie();
        Nodes.awaitInFlight(b(), "logout", 1);
        user().get(a(), "op=invalidate");
        user().get(b(), "op=open&gate=logout");
        late.get(60, TimeUnit.SECONDS);
        assertEquals("false", user().withCookie(cookie).get(a(), "op=has"));
        assertEquals("false", user().withCookie(cookie).get(b(), "op=has"));
    }

    @Test
    default void aJvmThatStoodStillCannotUndoALogout() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        CompletableFuture<HttpResponse<String>> late = user().later(b(), "op=gated&gate=pause&name=user&value=zombie");
        String cookie = user().cookie();
        Nodes.awaitInFlight(b(), "pause", 1);
        b().pause();
        try {
            user().get(a(), "op=invalidate");
            assertEquals("false", user().withCookie(cookie).get(a(), "op=has"));
            assertFalse(late.isDone(), "it did not stand still");
        } finally {
            b().resume();
        }
        user().get(b(), "op=open&gate=pause");
        late.get(60, TimeUnit.SECONDS);
        for (TomcatNode node : List.of(a(), b(), a())) {
            assertEquals("false", user().withCookie(cookie).get(node, "op=has"));
        }
    }

    @Test
    default void aNewIdKeepsTheAttributesAndEndsTheOldId() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        user().get(b(), "op=get&name=user");
        String old = user().cookie();
        user().get(a(), "op=rotate");
        assertNotEquals(old, user().cookie());
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        user().get(b(), "op=set&name=user&value=Bea");
        assertEquals("Bea", user().get(a(), "op=get&name=user"));
        assertEquals("false", user().withCookie(old).get(a(), "op=has"));
        assertEquals("false", user().withCookie(old).get(b(), "op=has"));
    }

    /** A page that asks for something while its user logs in. */
    @Test
    default void whoComesWithTheOldIdDoesNotDisturbTheRequestThatGivesANewOne() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        Browser page = user().withCookie(user().cookie());
        CompletableFuture<HttpResponse<String>> login =
                user().later(a(), "op=gatedrotate&gate=login&name=after&value=1");
        Nodes.awaitInFlight(a(), "login", 1);
        CompletableFuture<HttpResponse<String>> meanwhile;
        daemonA().pause();
        try {
            new Browser().get(a(), "op=open&gate=login");
            Eventually.holds("a new id is asked for", SOON, () -> hasAsked(a(), "SidecarClient.rename("));
            meanwhile = page.later(a(), "op=has");
            Eventually.holds("so is the old one", SOON, () -> hasAsked(a(), "SidecarClient.open("));
        } finally {
            daemonA().resume();
        }
        assertEquals("false", meanwhile.get(60, TimeUnit.SECONDS).body());
        new Browser().get(a(), "op=open&gate=login.rotated");
        assertEquals(200, login.get(60, TimeUnit.SECONDS).statusCode());
        assertEquals("[after, user]", user().get(b(), "op=names"));
        assertEquals("[after, user]", user().get(a(), "op=names"));
    }

    /** One that began before the session was given a new id on the other node. */
    @Test
    default void norARequestInFlightOnTheNodeThatHeComesTo() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        Browser page = user().withCookie(user().cookie());
        CompletableFuture<HttpResponse<String>> late = page.later(a(), "op=gated&gate=renamed&name=late&value=1");
        Nodes.awaitInFlight(a(), "renamed", 1);
        user().get(b(), "op=rotate");
        for (int n = 0; n < 2; n++) {
            assertEquals("false", page.get(a(), "op=has"));
        }
        user().get(a(), "op=set&name=after&value=1");
        new Browser().get(a(), "op=open&gate=renamed");
        assertEquals(200, late.get(60, TimeUnit.SECONDS).statusCode());
        assertEquals("[after, late, user]", user().get(b(), "op=names"));
        assertEquals("[after, late, user]", user().get(a(), "op=names"));
    }

    /** What it asks with this method is on its way: it waits for the answer. Before that another request may be first. */
    private static boolean hasAsked(TomcatNode node, String method) throws Exception {
        return Stream.of(node.threads().split("\n\n"))
                .anyMatch(thread -> thread.contains("Call.await(") && thread.contains(method));
    }

    @Test
    default void anIdleSessionEndsOnceAndIsGoneEverywhere() throws Exception {
        int destroyed = counters("destroyed");
        user().get(b(), "op=create");
        user().get(a(), "op=timeout&value=2");
        // Asked without a cookie, so that nobody uses the session meanwhile.
        awaitTold("one node tells its listeners", SOON, () -> counters("destroyed") > destroyed);
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals("false", user().get(b(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    @Test
    default void anIdleNodeDoesNotEndWhatIsUsedElsewhere() throws Exception {
        Eventually.holds("a while in which no request takes long", SOON, () -> {
            user().get(b(), "op=set&name=user&value=Ann");
            user().get(b(), "op=timeout&value=6");
            boolean inUse = isUsedAllTheTime();
            if (inUse) {
                assertEquals("Ann", user().get(b(), "op=get&name=user"));
            }
            // Else another case counts its end.
            user().get(b(), "op=invalidate");
            return inUse;
        });
    }

    /** For longer than it may be idle. Not where a request took so long that it may be over, and rightly. */
    private boolean isUsedAllTheTime() throws Exception {
        long until = System.nanoTime() + Duration.ofSeconds(9).toNanos();
        for (long now = System.nanoTime(); now < until; ) {
            long began = now;
            String found = user().get(a(), "op=get&name=user");
            now = System.nanoTime();
            if (now - began > Duration.ofSeconds(2).toNanos()) {
                return false;
            }
            assertEquals("Ann", found);
        }
        return true;
    }

    @Test
    default void whatNobodyHoldsEndsWithItsListenersToldOnce() throws Exception {
        int destroyed = counters("destroyed");
        int unbound = counters("unbound");
        Daemon daemon = pods().daemon("gone");
        try (TomcatNode gone = pods().tomcat("gone", daemon.socket, Release.THIS, "patience=1s")) {
            gone.awaitStarted();
            user().get(gone, "op=bound&name=x&value=1");
            // Not so soon that it ends while there is somebody who holds it.
            user().get(gone, "op=timeout&value=5");
        }
        awaitTold("one node tells its listeners", SOON.multipliedBy(2), () -> counters("unbound") > unbound);
        assertEquals("false", user().get(a(), "op=has"));
        assertEquals(destroyed + 1, counters("destroyed"));
        assertEquals(unbound + 1, counters("unbound"));
    }

    @Test
    default void anAttributeThatFailsAtTheEndDoesNotKeepTheSessionFromEnding() throws Exception {
        int destroyed = counters("destroyed");
        int unbound = counters("unbound");
        user().get(a(), "op=bound&name=x&value=fails");
        user().get(b(), "op=timeout&value=1");
        awaitTold("one node tells its listeners", SOON, () -> counters("destroyed") > destroyed);
        assertEquals(destroyed + 1, counters("destroyed"));
        assertEquals(unbound + 1, counters("unbound"));
    }

    /** And the store that it has: from then on nobody else is asked to. */
    private void awaitTold(String what, Duration within, Eventually.Condition told) throws Exception {
        Eventually.holds(what, within, told);
        try (Watch watch = new Watch(pods().store)) {
            Eventually.holds("and the store that it has", SOON, () -> !watch.awaitsListeners(user()));
        }
    }

    @Test
    default void aNewIdUnderConcurrentRequestsLosesNothing() throws Exception {
        user().get(a(), "op=create");
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            all.add(user().withCookie(user().cookie())
                    .later(i % 2 == 0 ? a() : b(), "op=gated&gate=rotate&name=n" + i + "&value=" + i));
        }
        Nodes.awaitInFlight(a(), "rotate", 8);
        Nodes.awaitInFlight(b(), "rotate", 8);
        user().get(a(), "op=rotate");
        user().get(a(), "op=open&gate=rotate");
        user().get(b(), "op=open&gate=rotate");
        for (CompletableFuture<HttpResponse<String>> each : all) {
            assertEquals(200, each.get(60, TimeUnit.SECONDS).statusCode());
        }
        assertEquals(16, user().get(a(), "op=names").split(",").length);
        assertEquals(16, user().get(b(), "op=names").split(",").length);
    }
}
