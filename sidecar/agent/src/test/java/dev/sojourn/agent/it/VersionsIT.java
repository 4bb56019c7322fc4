package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** A new version of an application is deployed beside the old one, whose users go on with the old one. */
class VersionsIT {
    @Test
    void aSessionOfTheOldVersionIsMappedToItOnEveryPod() throws Exception {
        StockTomcat server = new StockTomcat("10.1.54", true);
        try (Pods pods = new Pods("versions", server)) {
            Daemon daemonA = pods.daemon("a");
            Daemon daemonB = pods.daemon("b");
            server.contexts("app", "par##1");
            TomcatNode before = pods.tomcat("before", daemonA.socket, Release.THIS, "");
            server.contexts("app", "par##1", "par##2");
            TomcatNode a = pods.tomcat("a", daemonA.socket, Release.THIS, "");
            TomcatNode b = pods.tomcat("b", daemonB.socket, Release.NEXT, "");
            Browser user = new Browser();
            user.response(before.awaitStarted(), "/par", "op=set&name=x&value=old");
            String cookie = user.cookie();
            for (TomcatNode node : new TomcatNode[] {a.awaitStarted(), b.awaitStarted(), a}) {
                assertServed(user, node, "par##1");
                assertEquals("old", user.response(node, "/par", "op=get&name=x").body());
            }
            user.response(b, "/par", "op=set&name=x&value=older");
            assertEquals("older", user.response(a, "/par", "op=get&name=x").body());
            assertEquals(cookie, user.cookie(), "it is the same session all the time");

            Browser another = new Browser();
            another.response(a, "/par", "op=set&name=x&value=new");
            assertServed(another, a, "par##2");
            assertServed(another, b, "par##2");

            user.response(a, "/par", "op=invalidate");
            assertServed(user, a, "par##2");
            assertServed(user, b, "par##2");
        }
    }

    private static void assertServed(Browser user, TomcatNode node, String version) throws Exception {
        String folder = user.response(node, "/par", "op=where").body();
        assertTrue(folder.contains("/" + version), folder);
    }
}
