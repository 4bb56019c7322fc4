package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** A login by Spring Security: form, saved request, the id's change against fixation, logout. */
interface SpringSecurityCases extends Nodes {
    @Test
    default void aFormLoginMayGoOverBothNodesAndTravels() throws Exception {
        HttpResponse<String> denied = user().path(a(), "/app/secure/who");
        assertEquals(302, denied.statusCode());
        String before = user().cookie();
        login(user(), b());
        assertNotEquals(before, user().cookie(), "the id must change at login");
        assertEquals("ann", user().path(a(), "/app/secure/who").body());
        assertEquals("ann", user().path(b(), "/app/secure/who").body());
        String facts = user().path(a(), "/app/secure/session").body();
        assertTrue(facts.endsWith(" SecurityContextImpl"), facts);
        assertEquals(302, user().withCookie(before).path(a(), "/app/secure/who").statusCode());
    }

    @Test
    default void aLoginLeadsToTheRequestThatWasDeniedElsewhere() throws Exception {
        user().path(a(), "/app/secure/session");
        HttpResponse<String> loggedIn = user().post(b(), "/app/login", "username=ann&password=secret");
        String location = loggedIn.headers().firstValue("Location").orElse("");
        assertTrue(location.contains("/app/secure/session"), location);
    }

    @Test
    default void aLogoutEndsItOnBothNodes() throws Exception {
        login(user(), a());
        String cookie = user().cookie();
        assertEquals("ann", user().path(b(), "/app/secure/who").body());
        user().path(b(), "/app/logout");
        assertEquals(302, user().withCookie(cookie).path(a(), "/app/secure/who").statusCode());
        assertEquals(302, user().withCookie(cookie).path(b(), "/app/secure/who").statusCode());
    }

    @Test
    default void anOperatorSeesWhoIsLoggedInAndEndsThat() throws Exception {
        login(user(), a());
        assertEquals("ann", user().path(b(), "/app/secure/who").body());
        String all = daemonA().sessions("--user", "ann");
        assertTrue(all.contains(" ann "), all);
        daemonA().sessions("--user", "ann", "--end");
        assertEquals(302, user().path(b(), "/app/secure/who").statusCode());
    }

    @Test
    default void aUsersWebSocketIsClosedWhereverHisSessionEnds() throws Exception {
        assertClosed(user -> {
            login(user, a());
            Heard heard = Heard.over(user, b(), "/app/secure/echo");
            user.path(a(), "/app/logout");
            return heard.soon();
        });
    }

    @Test
    default void aLoginSurvivesARestartOfThePod() throws Exception {
        Daemon daemon = pods().daemon("r");
        try (TomcatNode before = pods().tomcat("r1", daemon.socket, Release.THIS, "patience=1s")) {
            before.awaitStarted();
            login(user(), before);
            assertEquals("ann", user().path(before, "/app/secure/who").body());
        }
        TomcatNode after =
                pods().tomcat("r2", daemon.socket, Release.THIS, "patience=1s").awaitStarted();
        assertEquals("ann", user().path(after, "/app/secure/who").body());
    }

    static void login(Browser user, TomcatNode node) throws Exception {
        HttpResponse<String> loggedIn = user.post(node, "/app/login", "username=ann&password=secret");
        assertEquals(302, loggedIn.statusCode());
        String location = loggedIn.headers().firstValue("Location").orElse("");
        assertTrue(!location.contains("error"), location);
    }
}
