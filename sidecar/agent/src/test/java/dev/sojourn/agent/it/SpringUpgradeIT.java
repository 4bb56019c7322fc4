package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** A roll-out to another Spring Boot, and with it to another Spring Security, which does not read everything that the other has written. */
class SpringUpgradeIT {
    private final Browser user = new Browser();

    @Test
    void from3To4ALoginHoldsAndOneOfANewPodIsSetAsideOnOldOnes() throws Exception {
        try (Pods pods = upgrade("upgrade-3-4", new BootJar("3.5.7", true), new BootJar("4.1.0", true))) {
            TomcatNode older = older(pods);
            TomcatNode newer = newer(pods);
            user.get(older.awaitStarted(), "op=set&name=cart&value=full");
            SpringSecurityCases.login(user, older);
            for (TomcatNode node : new TomcatNode[] {newer.awaitStarted(), older, newer}) {
                assertLoggedIn(node);
            }

            SpringSecurityCases.login(user, newer);
            assertSetAside(older, newer);
            SpringSecurityCases.login(user, older);
            assertLoggedIn(newer);
            assertLoggedIn(older);
            assertEquals("full", user.get(newer, "op=get&name=cart"));
        }
    }

    @Test
    void from2To4ALoginCountsWhereItWasAndEverythingElseOfTheSessionOnEveryPod() throws Exception {
        try (Pods pods = upgrade("upgrade-2-4", new BootJar("2.7.18", false), new BootJar("4.1.0", true))) {
            TomcatNode older = older(pods);
            TomcatNode newer = newer(pods);
            user.get(older.awaitStarted(), "op=set&name=cart&value=full");
            SpringSecurityCases.login(user, older);
            newer.awaitStarted();
            assertSetAside(newer, older);

            SpringSecurityCases.login(user, newer);
            assertLoggedIn(newer);
            assertSetAside(older, newer);
            assertEquals("full", user.get(newer, "op=get&name=cart"));
            assertEquals("full", user.get(older, "op=get&name=cart"));
        }
    }

    /** The one pod asks for a login, a wrong one does no harm, and on the other pod the user has never been logged out. */
    private void assertSetAside(TomcatNode here, TomcatNode there) throws Exception {
        String cookie = user.cookie();
        HttpResponse<String> asked = user.path(here, "/app/secure/who");
        assertEquals(302, asked.statusCode());
        String location = asked.headers().firstValue("Location").orElse("");
        assertTrue(location.endsWith("/app/login"), location);
        assertFalse(user.get(here, "op=names").contains("SPRING_SECURITY_CONTEXT"), "it can be read here");
        user.post(here, "/app/login", "username=ann&password=wrong");
        assertLoggedIn(there);
        assertEquals(cookie, user.cookie(), "it is the same session all the time");
        assertTrue(here.logged().contains("attribute=SPRING_SECURITY_CONTEXT class="), "no line in the log");
    }

    private void assertLoggedIn(TomcatNode node) throws Exception {
        assertEquals("ann", user.path(node, "/app/secure/who").body());
    }

    private static Pods upgrade(String name, BootJar from, BootJar to) throws Exception {
        return new Pods(name, new BootUpgrade(from, to));
    }

    private static TomcatNode older(Pods pods) throws Exception {
        return pods.tomcat("older", pods.daemon("a").socket, Release.THIS, "");
    }

    private static TomcatNode newer(Pods pods) throws Exception {
        return pods.tomcat("newer", pods.daemon("b").socket, Release.NEXT, "");
    }
}
