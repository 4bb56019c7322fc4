package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two tenants of one Tomcat, each a host with the same application at the same path. */
class HostsIT {
    private static final String SECOND =
            "</Host><Host name=\"Tenant.test\" appBase=\"webapps\" autoDeploy=\"false\"><Alias>www.tenant.test</Alias>";
    private static final Pattern COOKIE = Pattern.compile("Set-Cookie: (JSESSIONID=[^;]+)");

    /** One user of one host, by whatever name. */
    private static final class Visitor {
        private final String host;
        private @Nullable String cookie;

        Visitor(String host, @Nullable String cookie) {
            this.host = host;
            this.cookie = cookie;
        }

        String get(TomcatNode node, String query) throws IOException {
            try (Socket socket = Browser.connection(node)) {
                String request = "GET /app/do?" + query + " HTTP/1.0\r\nHost: " + host + "\r\n"
                        + (cookie == null ? "" : "Cookie: " + cookie + "\r\n") + "\r\n";
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                String answer = Browser.read(socket.getInputStream());
                assertTrue(answer.startsWith("HTTP/1.1 200"), answer);
                Matcher set = COOKIE.matcher(answer);
                if (set.find()) {
                    cookie = set.group(1);
                }
                return answer.substring(answer.indexOf("\r\n\r\n") + 4);
            }
        }

        int ended(TomcatNode node) throws IOException {
            return Integer.parseInt(get(node, "op=counters").replaceAll("(?s).*\\bdestroyed=(\\d+).*", "$1"));
        }
    }

    @Test
    void aCookieOfOneHostIsNoSessionOfAnother() throws Exception {
        Server server = new StockTomcat("10.1.54", true, Connector.NIO, SECOND);
        try (Pods pods = new Pods("hosts", server)) {
            Daemon daemon = pods.daemon("a");
            TomcatNode a = pods.tomcat("a", daemon.socket, Release.THIS, "");
            TomcatNode b = pods.tomcat("b", pods.daemon("b").socket, Release.THIS, "");
            a.awaitStarted();
            b.awaitStarted();
            Visitor ann = new Visitor("localhost", null);
            Visitor bob = new Visitor("tenant.test", null);
            ann.get(a, "op=set&name=user&value=Ann");
            bob.get(a, "op=set&name=user&value=Bob");
            for (TomcatNode node : List.of(b, a)) {
                assertEquals("Ann", ann.get(node, "op=get&name=user"));
                assertEquals("Bob", bob.get(node, "op=get&name=user"));
                assertEquals("Bob", new Visitor("www.TENANT.test", bob.cookie).get(node, "op=get&name=user"));
                assertEquals("false", new Visitor("tenant.test", ann.cookie).get(node, "op=has"));
                assertEquals("false", new Visitor("localhost", bob.cookie).get(node, "op=has"));
            }
            assertTrue(daemon.sessions("--context", "/app").contains("1 sessions"));
            assertTrue(daemon.sessions("--context", "tenant.test/app").contains("1 sessions"));

            bob.get(a, "op=timeout&value=1");
            Visitor nobody = new Visitor("tenant.test", null);
            Eventually.holds(
                    "its own host tells its listeners", Nodes.SOON, () -> nobody.ended(a) + nobody.ended(b) == 1);
            assertEquals(0, new Visitor("localhost", null).ended(a) + new Visitor("localhost", null).ended(b));
            assertEquals("Ann", ann.get(b, "op=get&name=user"));
        }
    }
}
