package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** One Tomcat with two services, each with the same application at the same path: to a browser both ports are one site. */
class ServicesIT {
    private static final String SECOND = """
            </Host></Engine></Service>
            <Service name="Second"><Connector port="%d" address="127.0.0.1"/>
            <Engine name="Second" defaultHost="localhost">
            <Host name="localhost" appBase="webapps" autoDeploy="false">""";

    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void aCookieOfOneServiceIsNoSessionOfAnother() throws Exception {
        int port = Ports.freePort();
        Server server = new StockTomcat("10.1.54", true, Connector.NIO, SECOND.formatted(port));
        try (Pods pods = new Pods("services", server)) {
            Daemon daemon = pods.daemon("a");
            TomcatNode node = pods.tomcat("a", daemon.socket, Release.THIS, "");
            node.awaitStarted();
            String second = "http://127.0.0.1:" + port;
            Eventually.holds("the second service answers", Nodes.SOON, () -> answers(second));
            String ann = cookie(get(node.url, "op=set&name=user&value=Ann", ""));
            String bob = cookie(get(second, "op=set&name=user&value=Bob", ""));
            assertEquals("Ann", get(node.url, "op=get&name=user", ann).body());
            assertEquals("Bob", get(second, "op=get&name=user", bob).body());
            assertEquals("false", get(second, "op=has", ann).body());
            assertEquals("false", get(node.url, "op=has", bob).body());
            assertTrue(daemon.sessions("--context", "/app").contains("1 sessions"));
            assertTrue(daemon.sessions("--context", "2:/app").contains("1 sessions"));
        }
    }

    private boolean answers(String at) throws Exception {
        try {
            return get(at, "op=stateless", "").body().equals("ok");
        } catch (IOException e) {
            return false;
        }
    }

    private HttpResponse<String> get(String at, String query, String cookie) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(at + "/app/do?" + query))
                .header("Cookie", cookie)
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer.body());
        return answer;
    }

    private static String cookie(HttpResponse<String> answer) {
        return answer.headers().firstValue("Set-Cookie").orElseThrow().split(";")[0];
    }
}
