package dev.sojourn.operator.reconcile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said to an API server, and what its answers mean. */
class PodEvictionTest {

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private KubernetesClient client;
    private volatile int code;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        var config = new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build();
        client = new KubernetesClientBuilder().withConfig(config).build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void thatPodIsMeantAndNoneOfItsName() {
        code = 201;
        assertThat(ask()).isTrue();
        assertThat(requests)
                .singleElement()
                .asString()
                .startsWith("POST /api/v1/namespaces/shop/pods/web-0/eviction")
                .contains("\"policy/v1\"", "\"preconditions\":{\"uid\":\"42\"}");
    }

    @Test
    void aBudgetsNoIsTakenForANoAndNotAskedAgain() {
        code = 429;
        assertThat(ask()).isFalse();
        assertThat(requests).hasSize(1);
    }

    @Test
    void aPodThatHasGoneOrIsAnotherOneNowIsNotEvicted() {
        code = 404;
        assertThat(ask()).isFalse();
        code = 409;
        assertThat(ask()).isFalse();
    }

    @Test
    void whatIsForbiddenIsSaid() {
        code = 403;
        assertThatThrownBy(this::ask)
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(403));
    }

    private boolean ask() {
        return PodEviction.ask(client, "shop", "web-0", "42");
    }

    private void answer(HttpExchange exchange) throws IOException {
        var body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        var status = code < 300 ? "Success" : "Failure";
        var answer = "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"status\":\"" + status + "\",\"code\":" + code + "}";
        exchange.getResponseHeaders().add("content-type", "application/json");
        exchange.sendResponseHeaders(code, answer.length());
        exchange.getResponseBody().write(answer.getBytes(UTF_8));
        exchange.close();
    }
}
