package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tomcat's valve keeps its logins in one JVM: sessions go on as ever, and the log says what does not. */
class SingleSignOnIT {
    private static final String VALVE = "<Valve className=\"org.apache.catalina.authenticator.SingleSignOn\"/>";

    @Test
    void sessionsTravelAndTheValvesLoginsDoNot() throws Exception {
        try (Pods pods = new Pods("sso", new StockTomcat("10.1.54", true, Connector.NIO, VALVE))) {
            TomcatNode a = pods.tomcat("a", pods.daemon("a").socket, Release.THIS, "");
            TomcatNode b = pods.tomcat("b", pods.daemon("b").socket, Release.THIS, "");
            a.awaitStarted();
            b.awaitStarted();
            Browser user = new Browser();
            user.get(a, "op=create");
            String login = singleSignOn(user, a);
            assertEquals("ann", user.get(b, "op=who"), "the login is in the session");
            assertEquals("ann", whoIs(login, a));
            assertEquals("null", whoIs(login, b));

            CompletableFuture<HttpResponse<String>> second = user.later(a, "op=gatedinvalidate&gate=sso");
            Nodes.awaitInFlight(a, "sso", 1);
            user.get(b, "op=invalidate");
            assertEquals("ann", whoIs(login, a));
            new Browser().get(a, "op=open&gate=sso");
            second.get(60, TimeUnit.SECONDS);
            assertEquals("null", whoIs(login, a), "who logs out here is logged out here, though others were first");
            for (TomcatNode node : new TomcatNode[] {a, b}) {
                String log = node.logged();
                assertTrue(log.contains("the SingleSignOn valve knows only in this JVM who has logged in"), log);
            }
        }
    }

    /** In the next application, with nothing but the valve's cookie. */
    private static String whoIs(String login, TomcatNode node) throws Exception {
        return new Browser()
                .withCookie(login)
                .response(node, "/other", "op=who")
                .body();
    }

    /** What a login sets beside the session's cookie. */
    private static String singleSignOn(Browser user, TomcatNode node) throws Exception {
        return user.response(node, "/app", "op=login&name=ann&value=secret").headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("JSESSIONIDSSO="))
                .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
                .findFirst()
                .orElseThrow();
    }
}
