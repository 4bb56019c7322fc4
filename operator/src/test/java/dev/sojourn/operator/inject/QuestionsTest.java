package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QuestionsTest {

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client = vertx.createHttpClient();
    private final Questions questions = new Questions(Duration.ZERO);
    private final LinkedBlockingQueue<HttpServerRequest> asked = new LinkedBlockingQueue<>();
    private int port;

    @BeforeEach
    void listen() throws Exception {
        var server = vertx.createHttpServer().requestHandler(request -> {
            questions.begun(request);
            asked.add(request);
        });
        port = server.listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS)
                .actualPort();
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }

    @Test
    void whatIsUnderWayIsAnsweredAndWhoAsksIsSentElsewhere() throws Exception {
        var first = ask();
        asked.take().response().end();
        assertThat(first.get(30, TimeUnit.SECONDS).getHeader("connection")).isNull();

        var answer = ask();
        var request = asked.take();
        var ends = new Thread(questions::end);
        ends.start();
        // It waits for the one that is under way.
        while (ends.getState() != Thread.State.TIMED_WAITING) {
            assertThat(ends.getState()).isNotEqualTo(Thread.State.TERMINATED);
            Thread.onSpinWait();
        }
        request.response().end();
        assertThat(answer.get(30, TimeUnit.SECONDS).getHeader("connection")).isEqualTo("close");
        ends.join();
    }

    @Test
    void oneThatWasGivenUpIsNotWaitedFor() throws Exception {
        ask();
        var request = asked.take();
        request.connection().close();
        assertThat(questions.end()).isTrue();
    }

    private CompletableFuture<HttpClientResponse> ask() {
        return client.request(HttpMethod.POST, port, "127.0.0.1", "/inject")
                .compose(request -> request.send("{}"))
                .toCompletionStage()
                .toCompletableFuture();
    }
}
