package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.Socket;
import java.net.http.WebSocket;
import org.junit.jupiter.api.Test;

/** The ways of a request through a servlet container. */
interface ServletCases extends Nodes {
    @Test
    default void anAsyncRequestCommitsWhenItCompletes() throws Exception {
        for (int i = 0; i < 20; i++) {
            user().get(a(), "op=asyncset&name=x&value=" + i);
            assertEquals("" + i, user().get(b(), "op=get&name=x"));
            user().get(b(), "op=asyncappend&name=list&value=" + i);
        }
        assertEquals(20, user().get(a(), "op=get&name=list").split(",").length);
    }

    @Test
    default void forwardsAndErrorDispatchesAreOfTheRequest() throws Exception {
        user().get(a(), "op=forward&name=x&value=forwarded");
        assertEquals("[before, x]", user().get(b(), "op=names"));
        assertEquals(
                500, user().response(b(), "/app", "op=fail&name=y&value=failed").statusCode());
        assertEquals("[before, error, x, y]", user().get(a(), "op=names"));
    }

    @Test
    default void anIncludeIsOfTheRequest() throws Exception {
        user().get(a(), "op=include&name=x&value=included");
        assertEquals("[after, x]", user().get(b(), "op=names"));
    }

    @Test
    default void anAsyncDispatchIsOfTheRequest() throws Exception {
        for (int i = 0; i < 10; i++) {
            user().get(a(), "op=asyncdispatch&name=x&value=" + i);
            assertEquals("" + i, user().get(b(), "op=get&name=x"));
        }
        assertEquals("[before, x]", user().get(b(), "op=names"));
    }

    @Test
    default void anAsyncRequestThatFailsCommitsWhatItDid() throws Exception {
        assertEquals(
                500,
                user().response(a(), "/app", "op=asyncfail&name=x&value=failed").statusCode());
        // Whether an error page comes of it is the container's to say.
        assertEquals("dispatch failed", user().get(b(), "op=get&name=before"));
        assertEquals("failed", user().get(b(), "op=get&name=x"));
    }

    /** Tomcat has begun to wait for other threads by then, and drops the connection. */
    @Test
    default void anAsyncRequestThatFailsBeforeItsThreadLeavesItCommitsWhatItDid() throws Exception {
        user().get(b(), "op=create");
        try (Socket ignored = user().raw(a(), "op=asyncthrow&name=x&value=failed")) {
            Eventually.holds(
                    "what it did", SOON, () -> user().get(b(), "op=get&name=x").equals("failed"));
        }
    }

    @Test
    default void anAsyncRequestThatTimesOutCommitsWhatItsListenerDid() throws Exception {
        assertEquals("timeout", user().get(a(), "op=asynctimeout&name=x&value=late"));
        assertEquals("late", user().get(b(), "op=get&name=x"));
    }

    @Test
    default void aThreadThatOutlivesItsRequestIsCommittedToo() throws Exception {
        user().get(a(), "op=create");
        user().get(a(), "op=asynclate&name=x&value=late");
        // The connection, and so the connector's request object, is somebody else's now.
        Browser other = new Browser();
        other.get(a(), "op=set&name=y&value=mine");
        user().get(a(), "op=open&gate=late");
        Eventually.holds(
                "what the thread set",
                SOON,
                () -> user().get(b(), "op=get&name=x").equals("late"));
        assertEquals("[y]", other.get(b(), "op=names"));
    }

    @Test
    default void aHandshakeIsCommittedBeforeItsAnswerAndTheEndpointHasTheSession() throws Exception {
        user().get(b(), "op=set&name=user&value=Ann");
        Heard heard = new Heard();
        WebSocket socket = user().socket(a(), "/app/echo", heard);
        assertEquals("done", user().get(b(), "op=get&name=handshake"));
        socket.sendText("user", true);
        assertEquals("Ann", heard.next());
        Eventually.holds(
                "what the endpoint set",
                SOON,
                () -> user().get(b(), "op=get&name=socket").equals("user"));
        socket.abort();
    }
}
