package testapp;

import java.io.IOException;
import javax.servlet.http.HttpSession;
import javax.websocket.Endpoint;
import javax.websocket.EndpointConfig;
import javax.websocket.HandshakeResponse;
import javax.websocket.MessageHandler;
import javax.websocket.Session;
import javax.websocket.server.HandshakeRequest;
import javax.websocket.server.ServerEndpointConfig;

/** Answers with the session attribute of that name, or as an accessor finds it; the handshake has changed the session. */
public class Echo extends Endpoint {
    private static final String BY_ACCESSOR = "accessor ";
    private static final Long CLOSE_MILLIS = 20_000L;

    static final class Handshake extends ServerEndpointConfig.Configurator {
        @Override
        public void modifyHandshake(ServerEndpointConfig config, HandshakeRequest request, HandshakeResponse response) {
            HttpSession session = (HttpSession) request.getHttpSession();
            session.setAttribute("handshake", "done");
            config.getUserProperties().put("session", session);
        }
    }

    private Object accessor;

    @Override
    public void onOpen(Session socket, EndpointConfig config) {
        // Tomcat gives a Close frame with another code than 1000 only 50 ms, and then cuts the connection without it:
        // on a busy machine its code would not be heard.
        socket.getUserProperties()
                .put("org.apache.tomcat.websocket.ABNORMAL_SESSION_CLOSE_SEND_TIMEOUT", CLOSE_MILLIS);
        HttpSession session = (HttpSession) config.getUserProperties().get("session");
        socket.addMessageHandler(new MessageHandler.Whole<String>() {
            @Override
            public void onMessage(String name) {
                Object value = name.startsWith(BY_ACCESSOR)
                        ? accessed(session, name.substring(BY_ACCESSOR.length()))
                        : answered(session, name);
                try {
                    socket.getBasicRemote().sendText(String.valueOf(value));
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    private static Object answered(HttpSession session, String name) {
        try {
            Object value = session.getAttribute(name);
            session.setAttribute("socket", name);
            return value;
        } catch (IllegalStateException e) {
            return "ended";
        }
    }

    private Object accessed(HttpSession session, String name) {
        if (accessor == null) {
            accessor = Accessor.of(session);
        }
        Object[] value = new Object[1];
        try {
            Accessor.access(accessor, found -> value[0] = found.getAttribute(name));
            return value[0];
        } catch (IllegalStateException e) {
            return "ended";
        }
    }
}
