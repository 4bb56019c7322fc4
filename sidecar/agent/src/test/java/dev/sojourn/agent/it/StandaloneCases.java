package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What only a Tomcat of its own has: several applications, and its own login. */
interface StandaloneCases extends Nodes {
    @Test
    default void twoContextsDoNotShareASession() throws Exception {
        user().get(a(), "op=set&name=user&value=Ann");
        assertEquals("false", user().response(a(), "/other", "op=has").body());
        assertEquals("false", user().response(b(), "/other", "op=has").body());
    }

    @Test
    default void theContainersLoginTravels() throws Exception {
        user().get(a(), "op=login&name=ann&value=secret");
        assertEquals("ann", user().get(b(), "op=who"));
        assertEquals("[]", user().get(b(), "op=names"));
    }

    @Test
    default void anOperatorSeesAUsersSessionsAndEndsThem() throws Exception {
        user().get(b(), "op=login&name=ann&value=secret");
        String all = daemonA().sessions("--user", "ann", "--context", "/app");
        assertTrue(all.contains(" ann ") && all.contains(" /app "), all);
        endSessions("ann");
        for (TomcatNode node : List.of(b(), a())) {
            assertEquals("false", user().get(node, "op=has"));
        }
        String none = daemonA().sessions("--user", "ann", "--context", "/app");
        assertTrue(none.endsWith("\n0 sessions\n"), none);
    }

    /** As Tomcat closes it where the session ends in its JVM. */
    @Test
    default void aUsersWebSocketIsClosedWhereverHisSessionEnds() throws Exception {
        Browser nobody = new Browser();
        nobody.get(b(), "op=set&name=x&value=1");
        Heard nobodys = new Heard();
        WebSocket open = nobody.socket(a(), "/app/echo", nobodys);
        nobody.get(b(), "op=invalidate");
        assertClosed(ann -> {
            ann.get(b(), "op=login&name=ann&value=secret");
            ann.get(b(), "op=set&name=user&value=Ann");
            Heard heard = new Heard();
            WebSocket socket = ann.socket(a(), "/app/echo", heard);
            ann.get(b(), "op=rotate");
            socket.sendText("user", true);
            String first = heard.soon();
            if (!"Ann".equals(first)) {
                // It goes on under another id; who has not heard of that takes it for ended.
                return null;
            }
            int destroyed = counters("destroyed");
            ann.get(b(), "op=invalidate");
            String last = heard.soon();
            assertEquals(destroyed + 1, counters("destroyed"));
            return last;
        });
        open.sendText("x", true);
        assertEquals("1", nobodys.next(), "nobody was logged in");
        open.abort();
    }

    @Test
    default void soItIsWhereItEndsWhileNobodyCanTell() throws Exception {
        awaitChannels();
        user().get(b(), "op=login&name=ann&value=secret");
        Heard heard = Heard.over(user(), a(), "/app/echo");
        daemonA().kill();
        try {
            user().get(b(), "op=invalidate");
        } finally {
            daemonA().start();
        }
        assertEquals("closed 1008", heard.next());
    }

    @Test
    default void anOperatorClosesAUsersWebSocketsToo() throws Exception {
        for (boolean here : List.of(true, false)) {
            assertClosed(ann -> {
                ann.get(b(), "op=login&name=ann&value=secret");
                Heard heard = Heard.over(ann, here ? a() : b(), "/app/echo");
                endSessions("ann");
                return heard.soon();
            });
        }
    }

    @Test
    default void aLoginByFormMayGoOnElsewhere() throws Exception {
        assertEquals(
                "please log in",
                user().post(a(), "/app/secure/order", "order=7").body());
        HttpResponse<String> loggedIn =
                user().post(b(), "/app/secure/j_security_check", "j_username=ann&j_password=secret");
        assertEquals(303, loggedIn.statusCode(), loggedIn.body());
        // The request that was denied on a, with its body, by the third node that is asked.
        assertEquals("POST ann 7", user().path(a(), "/app/secure/order").body());
        assertEquals("GET ann null", user().path(b(), "/app/secure/order").body());
    }

    @Test
    default void versionsSideBySideKeepTheirSessions() throws Exception {
        HttpResponse<String> newest = user().response(a(), "/par", "op=set&name=x&value=new");
        assertEquals(200, newest.statusCode());
        assertEquals("new", user().response(b(), "/par", "op=get&name=x").body());
        assertTrue(a().logged().contains("context=/par##1 "), "no line in the log");
        assertTrue(a().logged().contains("context=/par##2 "), "no line in the log");
    }
}
