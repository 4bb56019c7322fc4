package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose requests Envoy takes, however they are written. */
class EnvoyHeadersIT extends BehindEnvoy {

    /** As Apache's HttpClient does from 5.4 on. */
    @Test
    void whoOffersTlsIsAnsweredAndTheApplicationNotAsked() throws Exception {
        start("{}");
        try (var client = Http1.plain(http())) {
            var answer = client.get("/", "connection: Upgrade", "upgrade: TLS/1.2");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(application.asked.toLowerCase()).doesNotContain("upgrade");
            assertThat(client.get("/again").status()).isEqualTo(200);
        }
    }

    @Test
    void largeTicketsAndManyHeadersPass() throws Exception {
        start("{}");
        try (var client = Http1.plain(http())) {
            assertThat(client.get("/", "authorization: Negotiate " + "x".repeat(88_000))
                            .status())
                    .isEqualTo(200);
            var many = IntStream.range(0, 180).mapToObj(i -> "x-" + i + ": y").toArray(String[]::new);
            assertThat(client.get("/", many).status()).isEqualTo(200);
            assertThat(client.get("/", "x-large: " + "x".repeat(110_000)).status())
                    .isEqualTo(431);
        }
    }

    /** As the health checks of old load balancers do. */
    @Test
    void whoSpeaksHttp10AndNamesNoHostIsAnswered() throws Exception {
        start("{}");
        try (var client = Http1.plain(http())) {
            client.write("GET / HTTP/1.0\r\n\r\n");
            assertThat(client.receive().status()).isEqualTo(200);
        }
    }
}
