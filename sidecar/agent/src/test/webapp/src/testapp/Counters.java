package testapp;

import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.http.HttpSessionAttributeListener;
import javax.servlet.http.HttpSessionBindingEvent;
import javax.servlet.http.HttpSessionEvent;
import javax.servlet.http.HttpSessionIdListener;
import javax.servlet.http.HttpSessionListener;

/** Counts what the container tells about sessions. */
public class Counters implements HttpSessionListener, HttpSessionAttributeListener, HttpSessionIdListener {
    private static final AtomicInteger CREATED = new AtomicInteger();
    private static final AtomicInteger DESTROYED = new AtomicInteger();
    private static final AtomicInteger ADDED = new AtomicInteger();
    private static final AtomicInteger REPLACED = new AtomicInteger();
    private static final AtomicInteger REMOVED = new AtomicInteger();
    private static final AtomicInteger RENAMED = new AtomicInteger();
    static final AtomicInteger BOUND = new AtomicInteger();
    static final AtomicInteger UNBOUND = new AtomicInteger();
    static final AtomicInteger ACTIVATED = new AtomicInteger();
    static final AtomicInteger PASSIVATED = new AtomicInteger();

    static String report() {
        return "created=" + CREATED + " destroyed=" + DESTROYED + " added=" + ADDED + " replaced=" + REPLACED
                + " removed=" + REMOVED + " renamed=" + RENAMED + " bound=" + BOUND + " unbound=" + UNBOUND
                + " activated=" + ACTIVATED + " passivated=" + PASSIVATED;
    }

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        CREATED.incrementAndGet();
    }

    @Override
    public void sessionDestroyed(HttpSessionEvent event) {
        // Its attributes must still be there.
        event.getSession().getAttributeNames();
        DESTROYED.incrementAndGet();
    }

    @Override
    public void attributeAdded(HttpSessionBindingEvent event) {
        ADDED.incrementAndGet();
    }

    @Override
    public void attributeRemoved(HttpSessionBindingEvent event) {
        REMOVED.incrementAndGet();
    }

    @Override
    public void attributeReplaced(HttpSessionBindingEvent event) {
        REPLACED.incrementAndGet();
    }

    @Override
    public void sessionIdChanged(HttpSessionEvent event, String oldId) {
        RENAMED.incrementAndGet();
    }
}
