<%-- No page: it registers a WebSocket endpoint at the start, which a page compiled on demand can do in no other way. --%>
<%@ page import="jakarta.websocket.*, jakarta.websocket.server.*" %>
<%!
public static class Echo extends Endpoint {
    @Override
    public void onOpen(Session socket, EndpointConfig config) {
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
