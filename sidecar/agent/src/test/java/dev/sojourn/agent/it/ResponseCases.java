package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** What a client may rely on once it sees the first byte of a response, or the last. */
interface ResponseCases extends Nodes {
    @Test
    default void aRedirectRightAfterLoginFindsIt() throws Exception {
        for (int i = 0; i < 20; i++) {
            HttpResponse<String> redirect = user().response(a(), "/app", "op=redirect&name=user&value=" + i);
            assertEquals(302, redirect.statusCode());
            assertEquals("" + i, user().get(b(), "op=get&name=user"));
        }
    }

    @Test
    default void itIsCommittedBeforeTheFirstByteAndWhatComesLaterBeforeTheEnd() throws Exception {
        user().get(a(), "op=create");
        HttpResponse<InputStream> response = user().streamed(a(), "op=stream&gate=stream&name=x&value=early");
        assertEquals("early", user().get(b(), "op=get&name=x"));
        user().get(a(), "op=open&gate=stream");
        assertEquals("firstlast", Browser.read(response.body()));
        assertEquals("early late", user().get(b(), "op=get&name=x"));
    }

    @Test
    default void closingTheResponseDoesNotStopTheCommit() throws Exception {
        user().get(a(), "op=create");
        user().get(a(), "op=closeearly&name=x&value=1");
        Eventually.holds(
                "what was set after the response was closed",
                SOON,
                () -> user().get(b(), "op=get&name=x").equals("1"));
    }
}
