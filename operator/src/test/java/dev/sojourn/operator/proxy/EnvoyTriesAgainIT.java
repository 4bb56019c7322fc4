package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Envoy sends to another pod, and what it leaves as it is answered. */
class EnvoyTriesAgainIT extends BehindEnvoy {

    @ParameterizedTest
    @ValueSource(strings = {"None", "Cookie", "Hash"})
    void whatAPodHasNotBegunWithGoesToAnotherWhateverItsMethod(String stickiness) throws Exception {
        try (var ends = new Application()) {
            ends.refusal = "503 Service Unavailable\r\nx-sojourn-refused: true";
            start(with("{stickiness: " + stickiness + "}"), application.port(), ends.port());
            try (var client = Http1.plain(http())) {
                envoy.until("the one that ends is asked", () -> {
                    assertThat(client.exchange("POST", "/", "content-length: 0").header("x-pod"))
                            .isEqualTo("" + application.port());
                    return ends.refused.get() > 0;
                });
            }
        }
    }

    /** The pod has read all of it by then, and thrown it away. */
    @ParameterizedTest
    @ValueSource(ints = {40_000, 60_000})
    void soDoesAnUpload(int bytes) throws Exception {
        try (var ends = new Application()) {
            ends.refusal = "503 Service Unavailable\r\nx-sojourn-refused: true";
            start(with("{}"), application.port(), ends.port());
            try (var client = Http1.plain(http())) {
                envoy.until("the one that ends is asked", () -> {
                    client.send("POST", "/", "content-length: " + bytes);
                    client.write("x".repeat(bytes));
                    assertThat(client.receive().status()).isEqualTo(200);
                    return ends.refused.get() > 0;
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {40_000, 60_000})
    void anUploadGoesToAnotherWhereNobodyListens(int bytes) throws Exception {
        try (var gone = new Application()) {
            start(with("{}"), application.port(), gone.port());
            gone.close();
            try (var client = Http1.plain(http())) {
                envoy.until("the one that is gone is tried", () -> {
                    client.send("POST", "/", "content-length: " + bytes);
                    client.write("x".repeat(bytes));
                    assertThat(client.receive().status()).isEqualTo(200);
                    return envoy.stat("cluster.app.upstream_cx_connect_fail") > 0;
                });
            }
        }
    }

    @Test
    void anApplicationsOwn503IsItsAnswerToAPost() throws Exception {
        application.refusal = "503 Service Unavailable";
        start("{}");
        try (var client = Http1.plain(http())) {
            assertThat(client.exchange("POST", "/", "content-length: 0").status())
                    .isEqualTo(503);
            assertThat(application.refused).hasValue(1);
        }
    }

    @Test
    void aGetIsTriedAgainForAnApplicationsOwn503() throws Exception {
        application.refusal = "503 Service Unavailable";
        start("{}");
        try (var client = Http1.plain(http())) {
            assertThat(client.get("/").status()).isEqualTo(503);
            assertThat(application.refused).hasValue(4);
        }
    }

    /** It would wait for its session once more, behind the others that do. Whatever is in front of Envoy is told as well. */
    @Test
    void aGetWhoseSessionIsWithAnotherRequestIsNot() throws Exception {
        application.refusal = "503 Service Unavailable\r\nx-envoy-ratelimited: true";
        start("{}");
        try (var client = Http1.plain(http())) {
            var busy = client.get("/");
            assertThat(busy.status()).isEqualTo(503);
            assertThat(busy.header("x-envoy-ratelimited")).isEqualTo("true");
            assertThat(application.refused).hasValue(1);
        }
    }
}
