package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Applications that share a cookie: who logs out of one and comes again has the same id as before, for the other one still goes by it. */
class SharedCookieIT extends TwoNodes {
    private static final String CONTEXT = "<Context path=\"/%1$s\" docBase=\"%1$s\" %2$s/>";
    /** Who logs in keeps the id that the other application goes by. */
    private static final String KEEPS_ID =
            "><Valve className=\"org.apache.catalina.authenticator.FormAuthenticator\" changeSessionIdOnAuthentication=\"false\"/></Context>";

    SharedCookieIT() {
        super("shared-cookie", tomcat());
    }

    private static StockTomcat tomcat() {
        StockTomcat server = new StockTomcat("10.1.54", true, Connector.NIO, contexts());
        server.contexts("app", "other", "front", "back");
        return server;
    }

    private static String contexts() {
        String path = "sessionCookiePath=\"/\"";
        // These have their cookies for themselves, and one has the other do something for it.
        return CONTEXT.formatted("app", path).replace("/>", KEEPS_ID)
                + CONTEXT.formatted("other", path)
                + CONTEXT.formatted("front", "crossContext=\"true\"")
                + CONTEXT.formatted("back", "");
    }

    @Override
    String settings() {
        return "";
    }

    @Test
    void whoLogsOutOfOneMayComeAgainAtOnceAndStaysInTheOther() throws Exception {
        user().response(a(), "/other", "op=set&name=user&value=Ann");
        String cookie = user().cookie();
        for (int i = 0; i < 4; i++) {
            TomcatNode here = i % 2 == 0 ? a() : b();
            TomcatNode there = i % 2 == 0 ? b() : a();
            user().get(here, "op=set&name=user&value=Ann" + i);
            assertEquals("Ann" + i, user().get(there, "op=get&name=user"));
            user().get(there, "op=set&name=more&value=" + i);
            assertEquals("[more, user]", user().get(here, "op=names"));
            user().get(i < 2 ? here : there, "op=invalidate");
            for (TomcatNode node : List.of(there, here)) {
                assertEquals("false", user().get(node, "op=has"));
                assertEquals(
                        "Ann",
                        user().response(node, "/other", "op=get&name=user").body());
            }
        }
        assertEquals(cookie, user().cookie());
        assertTrue(pods().store.keysWithAnEnd() > 0);
    }

    @Test
    void whatIsLateForTheOldOneIsNoPartOfTheNewOne() throws Exception {
        user().response(a(), "/other", "op=create");
        user().get(a(), "op=set&name=user&value=Ann");
        CompletableFuture<HttpResponse<String>> late = user().later(b(), "op=gated&gate=late&name=late&value=zombie");
        CompletableFuture<HttpResponse<String>> still =
                user().later(b(), "op=gated&gate=still&name=still&value=zombie");
        Nodes.awaitInFlight(b(), "late", 1);
        Nodes.awaitInFlight(b(), "still", 1);
        user().get(a(), "op=invalidate");
        user().get(a(), "op=set&name=user&value=Bob");
        new Browser().get(b(), "op=open&gate=late");
        late.get(60, TimeUnit.SECONDS);
        assertEquals("null", user().get(a(), "op=get&name=late"));
        assertEquals("Bob", user().get(b(), "op=get&name=user"));
        new Browser().get(b(), "op=open&gate=still");
        still.get(60, TimeUnit.SECONDS);
        for (TomcatNode node : List.of(b(), a())) {
            // The application's page for its error may have begun with what there is now.
            assertEquals("null", user().get(node, "op=get&name=late"));
            assertEquals("null", user().get(node, "op=get&name=still"));
            assertEquals("Bob", user().get(node, "op=get&name=user"));
        }
        user().get(b(), "op=set&name=user&value=Cid");
        assertEquals("Cid", user().get(a(), "op=get&name=user"));
    }

    @Test
    void whatNobodyUsesEndsWithItsListenersToldAndTheNextOneMayBegin() throws Exception {
        user().response(a(), "/other", "op=create");
        user().get(a(), "op=create");
        user().get(a(), "op=invalidate");
        user().get(a(), "op=bound&name=x&value=1");
        int destroyed = counters("destroyed");
        int unbound = counters("unbound");
        user().get(b(), "op=timeout&value=1");
        Eventually.holds("one node tells its listeners", SOON.multipliedBy(2), () -> counters("unbound") > unbound);
        user().get(b(), "op=set&name=user&value=Ann");
        assertEquals("[user]", user().get(a(), "op=names"));
        assertEquals(destroyed + 1, counters("destroyed"));
    }

    /** Where the other application has kept the old id, its cookie is good for a session, and not for this one. */
    @Test
    void whoHasTheCookieOfBeforeALoginIsSomebodyElse() throws Exception {
        user().response(a(), "/other", "op=create");
        user().get(a(), "op=create");
        Browser eve = user().withCookie(user().cookie());
        user().get(a(), "op=rotate");
        user().get(a(), "op=set&name=user&value=Ann");
        assertNotEquals(eve.cookie(), user().cookie());
        eve.get(b(), "op=set&name=user&value=Eve");
        assertEquals("Ann", user().get(a(), "op=get&name=user"));
        assertEquals("Ann", user().get(b(), "op=get&name=user"));
        assertEquals("Eve", eve.get(a(), "op=get&name=user"));
    }

    /** Tomcat knows them by that id. */
    @Test
    void theWebSocketsOfWhoLogsInAgainStayOpenThoughTheEndBeforeIsStillTold() throws Exception {
        user().response(a(), "/other", "op=create");
        user().get(a(), "op=login&name=ann&value=secret");
        String cookie = user().cookie();
        Heard before = new Heard();
        user().socket(a(), "/app/echo", before);
        user().get(b(), "op=invalidate");
        assertEquals("closed 1008", before.next());
        user().get(a(), "op=login&name=ann&value=secret");
        user().get(a(), "op=set&name=user&value=Ann");
        assertEquals(cookie, user().cookie());
        Heard heard = new Heard();
        WebSocket socket = user().socket(a(), "/app/echo", heard);
        // Whoever is told of an end after them comes after them each time that they are told again.
        for (int i = 0; i < 2; i++) {
            awaitTheEndOfAnother();
        }
        socket.sendText("user", true);
        assertEquals("Ann", heard.next());
        user().get(b(), "op=invalidate");
        assertEquals("closed 1008", heard.next());
    }

    private void awaitTheEndOfAnother() throws Exception {
        Browser another = new Browser();
        another.get(b(), "op=login&name=ann&value=secret");
        Heard heard = new Heard();
        another.socket(a(), "/app/echo", heard);
        another.get(b(), "op=invalidate");
        assertEquals("closed 1008", heard.next());
    }

    @Test
    void anApplicationThatIsDispatchedToBeginsAgainToo() throws Exception {
        for (int i = 0; i < 3; i++) {
            TomcatNode here = i % 2 == 0 ? a() : b();
            TomcatNode there = i % 2 == 0 ? b() : a();
            assertEquals("null", cross(here, "get", ""));
            cross(here, "set", "Ann" + i);
            assertEquals("Ann" + i, cross(there, "get", ""));
            cross(i == 0 ? there : here, "invalidate", "");
        }
    }

    /** What the front has the back do, in the back's session. */
    private String cross(TomcatNode node, String op, String value) throws Exception {
        return user().response(node, "/front", "op=cross&name=" + op + "&value=" + value)
                .body();
    }
}
