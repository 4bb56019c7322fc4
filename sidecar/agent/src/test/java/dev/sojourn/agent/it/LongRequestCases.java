package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What others see of a request that is still at it: whoever asks for a job's progress may be answered by any pod. */
interface LongRequestCases extends Nodes {
    @Test
    default void whatALongRequestSetsIsSeenMeanwhile() throws Exception {
        user().get(a(), "op=create");
        CompletableFuture<HttpResponse<String>> job = user().later(a(), "op=steps&gate=steps&name=done&value=2");
        awaitSeen("done", "[1]");
        user().get(a(), "op=open&gate=steps1");
        awaitSeen("done", "[1, 2]");
        user().get(a(), "op=open&gate=steps2");
        assertEquals(200, job.get().statusCode());
        assertEquals("[1, 2]", user().get(b(), "op=get&name=done"));
    }

    @Test
    default void whatALongRequestHasSetUndoesNothingAtItsEnd() throws Exception {
        user().get(a(), "op=create");
        CompletableFuture<HttpResponse<String>> job = user().later(a(), "op=steps&gate=undone&name=done&value=1");
        awaitSeen("done", "[1]");
        user().get(b(), "op=set&name=done&value=newer");
        user().get(a(), "op=open&gate=undone1");
        assertEquals(200, job.get().statusCode());
        assertEquals("newer", user().get(b(), "op=get&name=done"));
        assertEquals("newer", user().get(a(), "op=get&name=done"));
    }

    @Test
    default void whatAnEventTellsIsSeenByWhoHasTheEvent() throws Exception {
        user().get(a(), "op=create");
        HttpResponse<InputStream> stream = user().streamed(a(), "op=events&gate=events&name=event&value=4");
        for (int event = 1; event <= 4; event++) {
            assertEquals('0' + event, stream.body().read());
            assertEquals("" + event, user().get(b(), "op=get&name=event"));
            user().get(a(), "op=open&gate=events" + event);
        }
        assertEquals("", Browser.read(stream.body()));
    }

    private void awaitSeen(String name, String value) throws Exception {
        Eventually.holds(
                "the other pod to see " + value,
                SOON,
                () -> user().get(b(), "op=get&name=" + name).equals(value));
    }
}
