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

/** Answers with the session attribute of that name; the handshake has changed the session. */
public class Echo extends Endpoint {
    static final class Handshake extends ServerEndpointConfig.Configurator {
        @Override
        public void modifyHandshake(ServerEndpointConfig config, HandshakeRequest request, HandshakeResponse response) {
            HttpSession session = (HttpSession) request.getHttpSession();
            session.setAttribute("handshake", "done");
            config.getUserProperties().put("session", session);
        }
    }

    @Override
    public void onOpen(Session socket, EndpointConfig config) {
        HttpSession session = (HttpSession) config.getUserProperties().get("session");
        socket.addMessageHandler(new MessageHandler.Whole<String>() {
            @Override
            public void onMessage(String name) {
                Object value = session.getAttribute(name);
                session.setAttribute("socket", name);
                try {
                    socket.getBasicRemote().sendText(String.valueOf(value));
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }
}
