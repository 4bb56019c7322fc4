<%-- No page: it registers a WebSocket endpoint at the start, which a page compiled on demand can do in no other way. --%>
<%@ page import="jakarta.websocket.*, jakarta.websocket.server.*" %>
<%!
public static class Echo extends Endpoint {
    @Override
    public void onOpen(Session socket, EndpointConfig config) {
        // Tomcat gives a Close frame with another code than 1000 only 50 ms, and then cuts the connection without it:
        // on a busy node its code would not be heard.
        socket.getUserProperties().put("org.apache.tomcat.websocket.ABNORMAL_SESSION_CLOSE_SEND_TIMEOUT", 20_000L);
        socket.addMessageHandler(String.class, new MessageHandler.Whole<String>() {
            @Override
            public void onMessage(String text) {
                socket.getAsyncRemote().sendText(System.getenv("HOSTNAME") + " " + text);
            }
        });
    }
}

@Override
public void jspInit() {
    try {
        ((ServerContainer) getServletContext().getAttribute(ServerContainer.class.getName()))
                .addEndpoint(ServerEndpointConfig.Builder.create(Echo.class, "/echo").build());
    } catch (DeploymentException e) {
        throw new IllegalStateException(e);
    }
}
%>
