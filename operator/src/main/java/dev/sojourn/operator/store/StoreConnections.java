package dev.sojourn.operator.store;

import dev.sojourn.operator.secret.SecretData;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.PemTrustOptions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Connections to one server each, for as long as it takes to ask it something. */
@ApplicationScoped
public class StoreConnections {

    /** A reconciler thread waits no longer; a store farther away than this is too far for sessions. */
    private static final int PATIENCE_MILLIS = 2000;

    /**
     * In bytes: a line, one section of INFO, or a few keys. A SessionCluster may name a hundred servers, and all of them may answer as much
     * as they are let.
     */
    static final int SHORT_ANSWER = 32 << 10;

    /** Of a server of a managed store: all of INFO, and CLUSTER NODES of a big cluster in which no two slots are neighbours. */
    static final int LONG_ANSWER = 256 << 10;

    private static final Pattern LINE_END = Pattern.compile("[\\r\\n]+\\z");

    private final Vertx vertx;
    private final int patienceMillis;

    @Inject
    public StoreConnections(Vertx vertx) {
        this(vertx, PATIENCE_MILLIS);
    }

    /** @param patienceMillis for one answer, and for a connection */
    public StoreConnections(Vertx vertx, int patienceMillis) {
        this.vertx = vertx;
        this.patienceMillis = patienceMillis;
    }

    /** As whom. Never logged: it holds the password. */
    public record Login(@Nullable String username, @Nullable String password) {

        /**
         * As sidecars read it: without the line's end that editors leave, and what is empty counts as not set.
         *
         * @param secret in Base64, with the keys {@code username} and {@code password}
         */
        public static Login of(Map<String, String> secret) {
            return new Login(line(secret, "username"), line(secret, "password"));
        }

        private static @Nullable String line(Map<String, String> secret, String key) {
            return SecretData.text(secret, key)
                    .map(text -> LINE_END.matcher(text).replaceAll(""))
                    .filter(text -> !text.isEmpty())
                    .orElse(null);
        }

        @Override
        public String toString() {
            return "login of " + username;
        }
    }

    /** How a connection is secured: not at all, by the system's certificates, or by this one. */
    record Tls(boolean enabled, @Nullable String caCertificate) {

        static final Tls NONE = new Tls(false, null);
    }

    /** Connections to one server that are asked again and again by a thread that may wait. */
    public final class Session implements AutoCloseable {

        private final NetClient client;
        private final List<StoreConnection> lanes;

        private Session(NetClient client, List<StoreConnection> lanes) {
            this.client = client;
            this.lanes = lanes;
        }

        /** @throws StoreException if the server refuses, or does not answer in time */
        public Reply ask(Request request) {
            return await(lanes.get(0).send(request));
        }

        /** One after the other, in one message: the server has them all, whatever becomes of us, and however long it takes for the first. */
        public void askInOneGo(List<Request> requests) {
            await(Future.all(lanes.get(0).send(requests)));
        }

        /** All at once, side by side as far as there are connections; answered in order. */
        public List<Reply> askAll(List<Request> requests) {
            var asked = IntStream.range(0, requests.size())
                    .mapToObj(i -> lanes.get(i % lanes.size()).send(requests.get(i)))
                    .toList();
            await(Future.join(asked));
            return asked.stream().map(Future::result).toList();
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /**
     * @param server {@code host:port}
     * @param lanes how many connections
     * @throws StoreException if it cannot be reached, or refuses the login
     */
    public Session open(String server, Login login, int lanes) {
        var client = client(Tls.NONE);
        try {
            var opened = IntStream.range(0, lanes)
                    .mapToObj(lane -> connect(client, server, login, SHORT_ANSWER))
                    .toList();
            await(Future.join(opened));
            return new Session(client, opened.stream().map(Future::result).toList());
        } catch (StoreException e) {
            client.close();
            throw e;
        }
    }

    /** @throws StoreException if it fails, or takes too long for a reconciler thread */
    <T> T await(Future<T> asked) {
        try {
            return asked.toCompletionStage().toCompletableFuture().get(patienceMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            var cause = Objects.requireNonNullElse(e.getCause(), e);
            throw cause instanceof TimeoutException ? noAnswer() : new StoreException(StoreProbe.words(cause));
        } catch (TimeoutException e) {
            throw noAnswer();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted");
        }
    }

    private StoreException noAnswer() {
        return new StoreException("no answer within " + patienceMillis / 1000 + " s");
    }

    /**
     * @param server {@code host:port}, as somebody wrote it: one that is no address fails like one that is not there
     * @param longestAnswer in bytes; more than this is an error
     */
    <T> Future<T> with(
            String server, Tls tls, Login login, int longestAnswer, Function<StoreConnection, Future<T>> use) {
        var client = client(tls);
        return connect(client, server, login, longestAnswer)
                .compose(use)
                // A server that hangs takes connections and answers nothing: they would stay open for good.
                .timeout(patienceMillis, TimeUnit.MILLISECONDS)
                .eventually(() -> {
                    client.close();
                    return Future.succeededFuture();
                });
    }

    private NetClient client(Tls tls) {
        var net = new NetClientOptions().setConnectTimeout(patienceMillis);
        if (tls.enabled()) {
            net.setSsl(true).setHostnameVerificationAlgorithm("HTTPS");
            if (tls.caCertificate() != null) {
                net.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(tls.caCertificate())));
            }
        }
        return vertx.createNetClient(net);
    }

    private static Future<StoreConnection> connect(NetClient client, String server, Login login, int longestAnswer) {
        return Address.parse(server)
                .map(address -> client.connect(address.port(), address.host())
                        .map(socket -> new StoreConnection(socket, longestAnswer))
                        .compose(connection -> authenticate(connection, login).map(connection)))
                .orElseGet(() -> Future.failedFuture(
                        server + " is no address: it takes a host, a colon and a port from 1 to 65535"));
    }

    private static Future<?> authenticate(StoreConnection connection, Login login) {
        if (login.password() == null) {
            return Future.succeededFuture();
        }
        var auth = Request.of("AUTH");
        if (login.username() != null) {
            auth.arg(login.username());
        }
        return connection.send(auth.arg(login.password()));
    }
}
