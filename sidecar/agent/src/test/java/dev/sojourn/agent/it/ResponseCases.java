package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
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

    @Test
    default void anErrorThatIsSentLeavesAfterTheCommit() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals(
                    418,
                    user().response(a(), "/app", "op=senderror&name=x&value=" + i)
                            .statusCode());
            assertEquals("" + i, user().get(b(), "op=get&name=x"));
        }
    }

    @Test
    default void aHeadLeavesAfterTheCommit() throws Exception {
        for (int i = 0; i < 10; i++) {
            assertEquals(200, user().head(a(), "op=set&name=x&value=" + i).statusCode());
            assertEquals("" + i, user().get(b(), "op=get&name=x"));
        }
    }

    @Test
    default void aFlushedHeadLeavesAfterTheCommit() throws Exception {
        user().get(a(), "op=create");
        HttpResponse<InputStream> response = user().streamed(a(), "op=flush&gate=flush&name=x&value=early");
        assertEquals("early", user().get(b(), "op=get&name=x"));
        user().get(a(), "op=open&gate=flush");
        assertEquals("", Browser.read(response.body()));
    }

    @Test
    default void aLargeChunkedAnswerLeavesAfterTheCommit() throws Exception {
        user().get(a(), "op=create");
        HttpResponse<InputStream> response = user().streamed(a(), "op=large&name=x&value=1");
        assertEquals("1", user().get(b(), "op=get&name=x"));
        assertEquals(4 << 20, Browser.read(response.body()).length());
    }

    @Test
    default void requestsInOneGoAreAnsweredInTheirOrderAndTheCloseAfterThem() throws Exception {
        user().get(a(), "op=create");
        String answers = user().pipelined(a(), "op=append&name=list&value=", 30);
        assertEquals(30, answers.split("HTTP/1.1 200", -1).length - 1, answers);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            expected.append(i == 0 ? "" : ", ").append(i);
        }
        assertEquals("[" + expected + "]", user().get(b(), "op=get&name=list"));
    }

    @Test
    default void aClientThatHangsUpDoesNotStopTheCommit() throws Exception {
        user().get(a(), "op=create");
        Socket client = user().raw(a(), "op=hangup&gate=hangup&name=x&value=1");
        Nodes.awaitInFlight(a(), "hangup", 1);
        // With a reset, so that the server's writes fail.
        client.setSoLinger(true, 0);
        client.close();
        user().get(a(), "op=open&gate=hangup");
        Eventually.holds(
                "what was set while nobody listened",
                SOON,
                () -> user().get(b(), "op=get&name=x").equals("1"));
    }

    @Test
    default void anHttp2StreamIsARequestLikeAnyOther() throws Exception {
        Browser browser = Browser.http2();
        browser.get(a(), "op=create");
        HttpResponse<String> redirect = browser.response(a(), "/app", "op=redirect&name=user&value=Ann");
        assertEquals(HttpClient.Version.HTTP_2, redirect.version());
        assertEquals("Ann", browser.get(b(), "op=get&name=user"));
        for (int i = 0; i < 20; i++) {
            browser.get(i % 2 == 0 ? a() : b(), "op=append&name=list&value=" + i);
        }
        assertEquals(20, browser.get(a(), "op=get&name=list").split(",").length);
        HttpResponse<InputStream> response = browser.streamed(a(), "op=stream&gate=http2&name=x&value=early");
        assertEquals("early", browser.get(b(), "op=get&name=x"));
        browser.get(a(), "op=open&gate=http2");
        assertEquals("firstlast", Browser.read(response.body()));
        assertEquals("early late", browser.get(b(), "op=get&name=x"));
        HttpResponse<InputStream> large = browser.streamed(a(), "op=large&name=x&value=large");
        assertEquals("large", browser.get(b(), "op=get&name=x"));
        assertEquals(4 << 20, Browser.read(large.body()).length());
    }
}
