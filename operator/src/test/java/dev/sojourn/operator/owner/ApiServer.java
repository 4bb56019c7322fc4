package dev.sojourn.operator.owner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/** Answers with one status, or one for each name at the path's end, and the object of that name; keeps what it was asked. */
public final class ApiServer implements AutoCloseable {

    public record Asked(String what, String contentType, String body) {}

    public final List<Asked> asked = new CopyOnWriteArrayList<>();

    private final HttpServer server;
    private final KubernetesClient client;

    public ApiServer(int status, Map<String, String> objects) throws IOException {
        this(name -> status, objects);
    }

    public ApiServer(ToIntFunction<String> status, Map<String, String> objects) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(asked(exchange));
            var path = exchange.getRequestURI().getPath();
            var name = path.substring(path.lastIndexOf('/') + 1);
            var object = objects.getOrDefault(name, "{\"kind\": \"Status\"}");
            var bytes = object.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status.applyAsInt(name), bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        client = builder().build();
    }

    /** For a client of one's own. */
    public KubernetesClientBuilder builder() {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withAutoConfigure(false)
                        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                        .build());
    }

    private static Asked asked(HttpExchange exchange) throws IOException {
        return new Asked(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath(),
                String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    public KubernetesClient client() {
        return client;
    }

    @Override
    public void close() {
        client.close();
        server.stop(0);
    }
}
