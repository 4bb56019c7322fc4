package dev.sojourn.agent.tomcat;

import java.io.Serializable;
import javax.servlet.http.HttpSessionActivationListener;
import javax.servlet.http.HttpSessionEvent;

/** Counts, in what is serialized of it, how often it has left the JVM. */
final class Passivated implements HttpSessionActivationListener, Serializable {
    private static final long serialVersionUID = 1L;

    int times;

    @Override
    public void sessionDidActivate(HttpSessionEvent event) {}

    @Override
    public void sessionWillPassivate(HttpSessionEvent event) {
        times++;
    }
}
