package dev.sojourn.agent.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.WebSocket;
import org.junit.jupiter.api.Test;

class Tomcat11IT extends StandaloneConformance {
    Tomcat11IT() {
        super("11.0.24", true);
    }

    /** HttpSession.Accessor, as a WebSocket would use it. */
    @Test
    void whatIsSetThroughAnAccessorWhenNoRequestIsThereIsCommitted() throws Exception {
        user().get(a(), "op=accessor&name=late&value=1&gate=accessor");
        assertEquals("null", user().get(b(), "op=get&name=late"));
        user().get(a(), "op=open&gate=accessor");
        Eventually.holds(
                "the other node has it",
                SOON,
                () -> user().get(b(), "op=get&name=late").equals("1"));
    }

    @Test
    void anAccessorFindsTheSessionAsTheOtherNodeHasLeftItWhenNoRequestIsThere() throws Exception {
        user().get(b(), "op=set&name=user&value=Ann");
        Heard heard = new Heard();
        WebSocket socket = user().socket(a(), "/app/echo", heard);
        user().get(b(), "op=set&name=user&value=Bea");
        socket.sendText("accessor user", true);
        assertEquals("Bea", heard.next());
        user().get(b(), "op=invalidate");
        socket.sendText("accessor user", true);
        assertEquals("ended", heard.next());
        socket.abort();
    }
}
