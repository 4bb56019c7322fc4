package testapp;

import javax.servlet.ServletContextEvent;
import javax.servlet.ServletContextListener;
import javax.websocket.DeploymentException;
import javax.websocket.server.ServerContainer;
import javax.websocket.server.ServerEndpointConfig;

/** Registers the WebSocket endpoint, for everybody and for those who are logged in, without a scan of the classes. */
public class EchoSetup implements ServletContextListener {
    @Override
    public void contextInitialized(ServletContextEvent event) {
        Object container = event.getServletContext().getAttribute("javax.websocket.server.ServerContainer");
        try {
            for (String path : new String[] {"/echo", "/secure/echo"}) {
                ((ServerContainer) container)
                        .addEndpoint(ServerEndpointConfig.Builder.create(Echo.class, path)
                                .configurator(new Echo.Handshake())
                                .build());
            }
        } catch (DeploymentException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {}
}
