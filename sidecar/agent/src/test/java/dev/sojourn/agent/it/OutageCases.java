package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Sidecars and stores that are away. */
interface OutageCases extends Nodes {
    @Test
    default void withoutItsSidecarANodeGoesOnAndCatchesUp() throws Exception {
        user().get(a(), "op=set&name=x&value=1");
        try (Watch watch = new Watch(pods().store)) {
            // In Async, a while after the answer: what only its sidecar knows of is unknown elsewhere once that is
            // gone.
            Eventually.holds("it is in the store", SOON, () -> watch.isStored(user()));
        }
        Browser elsewhere = new Browser();
        elsewhere.get(b(), "op=create");
        daemonA().kill();
        try {
            user().get(a(), "op=set&name=x&value=2");
            assertEquals("2", user().get(a(), "op=get&name=x"));
            String cookie = elsewhere.cookie();
            assertEquals(503, elsewhere.response(a(), "/app", "op=has").statusCode(), "it is not over");
            assertEquals(cookie, elsewhere.cookie(), "no new session");
            Browser another = new Browser();
            another.get(a(), "op=set&name=x&value=born");
            assertEquals("born", another.get(a(), "op=get&name=x"));
            daemonA().start();
            Eventually.holds(
                    "the changes of the outage are on the other node",
                    SOON,
                    // In Async the daemon that was killed had the session for itself: nobody else has it before that is
                    // over.
                    () -> isElsewhere(user(), "2"));
            Eventually.holds("so is the session that was born in it", SOON, () -> isElsewhere(another, "born"));
        } finally {
            daemonA().start();
        }
        assertEquals("true", elsewhere.get(a(), "op=has"));
    }

    @Test
    default void aSidecarThatRestartsIsNotNoticed() throws Exception {
        user().get(a(), "op=set&name=x&value=1");
        daemonA().kill();
        CompletableFuture<HttpResponse<String>> during = user().later(a(), "op=get&name=x");
        daemonA().start();
        assertEquals("1", during.get(60, TimeUnit.SECONDS).body());
        assertEquals("1", user().get(a(), "op=get&name=x"));
    }

    @Test
    default void aStoreThatIsAwayIsNotNoticedAndCaughtUpWith() throws Exception {
        user().get(a(), "op=set&name=x&value=1");
        pods().store.pause();
        try {
            user().get(a(), "op=set&name=x&value=2");
            assertEquals("2", user().get(a(), "op=get&name=x"));
            String cookie = user().cookie();
            HttpResponse<String> elsewhere = user().response(b(), "/app", "op=get&name=x");
            assertEquals(503, elsewhere.statusCode(), "where nobody knows of the session it is not over");
            assertEquals("1", elsewhere.headers().firstValue("Retry-After").orElse(""));
            assertEquals(
                    "", elsewhere.headers().firstValue("x-envoy-ratelimited").orElse(""), "another pod may hold it");
            assertEquals(cookie, user().cookie(), "no new session");
            assertEquals("false", new Browser().get(b(), "op=has"), "who has none is none the wiser");
        } finally {
            pods().store.resume();
        }
        Eventually.holds("the changes of the outage are on the other node", SOON, () -> isElsewhere(user(), "2"));
    }

    private boolean isElsewhere(Browser user, String value) throws Exception {
        return user.isAnswered(b(), "op=get&name=x", value);
    }

    @Test
    default void withoutAnySidecarItIsAnOrdinaryTomcat() throws Exception {
        TomcatNode alone = pods().tomcat("alone", pods().noSocket(), Release.THIS, "patience=100ms")
                .awaitStarted();
        user().get(alone, "op=append&name=list&value=x");
        user().get(alone, "op=append&name=list&value=y");
        assertEquals("[x, y]", user().get(alone, "op=get&name=list"));
        String old = user().cookie();
        user().get(alone, "op=rotate");
        assertEquals("[x, y]", user().get(alone, "op=get&name=list"));
        assertEquals("false", user().withCookie(old).get(alone, "op=has"));
        user().get(alone, "op=invalidate");
        assertEquals("false", user().get(alone, "op=has"));

        int destroyed = Nodes.counter(alone, "destroyed");
        user().get(alone, "op=timeout&value=1");
        Eventually.holds("an idle session ends", SOON, () -> Nodes.counter(alone, "destroyed") == destroyed + 1);
        assertEquals("false", user().get(alone, "op=has"));
    }
}
