package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What Envoy lets through. The rates are so slow that no token comes back while a test runs. */
class EnvoyLimitsIT extends BehindEnvoy {

    @Test
    void afterTheBurstItIs429UntilTheLimitIsRaisedUnderTheOpenConnection() throws Exception {
        start("{replicas: 1, limits: {requests: {rate: 1/h, burst: 3}}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 4)).containsExactly(200, 200, 200, 429);
            var refused = client.get("/");
            assertThat(Integer.parseInt(refused.header("retry-after"))).isPositive();
            assertThat(refused.header("x-ratelimit-limit")).startsWith("3");
            envoy.route(with("{replicas: 1, limits: {requests: {rate: 1/h, burst: 5}}}"));
            assertThat(statuses(client, 6)).containsExactly(200, 200, 200, 200, 200, 429);
            envoy.route(with("{replicas: 1}"));
            assertThat(statuses(client, 3)).containsExactly(200, 200, 200);
        }
    }

    @Test
    void readingAndWritingRequestsShareTheBucket() throws Exception {
        start("{replicas: 1, limits: {requests: {rate: 1/h, burst: 2}}}");
        try (var client = Http1.plain(http())) {
            assertThat(client.get("/").status()).isEqualTo(200);
            assertThat(client.exchange("POST", "/", "content-length: 0").status())
                    .isEqualTo(200);
            assertThat(client.get("/").status()).isEqualTo(429);
            assertThat(client.exchange("POST", "/", "content-length: 0").status())
                    .isEqualTo(429);
        }
    }

    @Test
    void eachEnvoyLetsItsShareThrough() throws Exception {
        start("{replicas: 3, limits: {requests: {rate: 1/h, burst: 6}}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 3)).containsExactly(200, 200, 429);
        }
    }

    @Test
    void aBadlyBehavedSessionIsAloneInBeingHeldBack() throws Exception {
        start("{limits: {perSession: {rate: 1/h, burst: 2}}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 3, "cookie: a=b; JSESSIONID=one; c=d")).containsExactly(200, 200, 429);
            assertThat(statuses(client, 3, "cookie: JSESSIONID=two")).containsExactly(200, 200, 429);
            assertThat(statuses(client, 3)).as("without a session").containsExactly(200, 200, 200);
        }
    }

    @Test
    void clientsAreToldByTheAddressThatTheTrustedProxySaw() throws Exception {
        start("{trustedProxies: 1, limits: {perAddress: {rate: 1/h, burst: 1}}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 2, "x-forwarded-for: 192.0.2.1")).containsExactly(200, 429);
            assertThat(statuses(client, 2, "x-forwarded-for: 192.0.2.2")).containsExactly(200, 429);
            assertThat(statuses(client, 1, "x-forwarded-for: 192.0.2.9, 192.0.2.2"))
                    .as("what the client wrote itself is not believed")
                    .containsExactly(429);
            assertThat(statuses(client, 1, "x-forwarded-for: 2001:db8::1")).containsExactly(200);
            assertThat(statuses(client, 1, "x-forwarded-for: 2001:db8::2"))
                    .as("another address of the same /64")
                    .containsExactly(429);
        }
    }

    @Test
    void privilegedClientsPass() throws Exception {
        start(
                "{replicas: 1, trustedProxies: 1, limits: {requests: {rate: 1/h, burst: 1}, perSession: {rate: 1/h, burst: 1},"
                        + " exempt: [{cidr: 10.0.0.0/8}, {header: {name: x-probe, value: secret}}, {pathPrefix: /static/}]}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 2, "cookie: JSESSIONID=one")).containsExactly(200, 429);
            assertThat(statuses(client, 2, "cookie: JSESSIONID=one", "x-forwarded-for: 10.1.2.3"))
                    .containsExactly(200, 200);
            assertThat(statuses(client, 2, "cookie: JSESSIONID=one", "x-probe: secret"))
                    .containsExactly(200, 200);
            assertThat(client.get("/static/logo.png").status()).isEqualTo(200);
            assertThat(statuses(client, 1, "x-probe: guessed", "x-forwarded-for: 11.1.2.3"))
                    .containsExactly(429);
        }
    }

    @Test
    void whatIsDeniedIs403() throws Exception {
        start("{trustedProxies: 1, limits: {deny: [{cidr: 192.0.2.0/24}, {pathPrefix: /admin},"
                + " {header: {name: user-agent, value: bad}}]}}");
        try (var client = Http1.plain(http())) {
            assertThat(statuses(client, 1, "x-forwarded-for: 192.0.2.7")).containsExactly(403);
            assertThat(client.get("/admin/users").status()).isEqualTo(403);
            assertThat(client.get("/x/../admin/users").status()).isEqualTo(403);
            assertThat(statuses(client, 1, "user-agent: bad")).containsExactly(403);
            assertThat(statuses(client, 1, "user-agent: good")).containsExactly(200);
        }
    }

    @Test
    void bytesAreHeldBackAndArrive() throws Exception {
        start("{replicas: 1, limits: {download: 100KiB/s}}");
        try (var client = Http1.plain(http())) {
            assertThat(client.get("/bytes/300000").body()).hasSize(300_000);
            assertThat(envoy.stat("download.http_bandwidth_limit.response_enforced"))
                    .isPositive();
        }
    }

    private static List<Integer> statuses(Http1 client, int requests, String... headers) throws IOException {
        var statuses = new ArrayList<Integer>();
        for (int i = 0; i < requests; i++) {
            statuses.add(client.get("/", headers).status());
        }
        return statuses;
    }
}
