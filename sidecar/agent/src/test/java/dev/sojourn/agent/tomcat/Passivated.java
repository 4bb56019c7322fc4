package dev.sojourn.agent.tomcat;

import java.io.Serializable;
import javax.servlet.http.HttpSessionActivationListener;
import javax.servlet.http.HttpSessionEvent;
import org.jspecify.annotations.Nullable;

/** Counts, in what is serialized of it, how often it has left the JVM; whoever wants to hears of it. */
final class Passivated implements HttpSessionActivationListener, Serializable {
    private static final long serialVersionUID = 1L;

    int times;
    transient @Nullable Runnable leaves;
    transient @Nullable Runnable returns;

    @Override
    public void sessionDidActivate(HttpSessionEvent event) {
        if (returns != null) {
            returns.run();
        }
    }

    @Override
    public void sessionWillPassivate(HttpSessionEvent event) {
        times++;
        if (leaves != null) {
            leaves.run();
        }
    }
}
