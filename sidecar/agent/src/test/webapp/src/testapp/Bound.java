package testapp;

import java.io.Serializable;
import javax.servlet.http.HttpSessionActivationListener;
import javax.servlet.http.HttpSessionBindingEvent;
import javax.servlet.http.HttpSessionBindingListener;
import javax.servlet.http.HttpSessionEvent;

/** An attribute that counts what it is told itself; one of the value "fails" throws when it is unbound, one of the value "local" stays in its JVM. */
public class Bound implements HttpSessionBindingListener, HttpSessionActivationListener, Serializable {
    private static final long serialVersionUID = 1L;

    private final String value;
    /** Nobody can serialize it. */
    private final Object own;

    Bound(String value) {
        this.value = value;
        this.own = value.equals("local") ? new Object() : null;
    }

    @Override
    public void valueBound(HttpSessionBindingEvent event) {
        Counters.BOUND.incrementAndGet();
    }

    @Override
    public void valueUnbound(HttpSessionBindingEvent event) {
        Counters.UNBOUND.incrementAndGet();
        if (value.equals("fails")) {
            throw new IllegalStateException("as asked");
        }
    }

    @Override
    public void sessionDidActivate(HttpSessionEvent event) {
        if (event.getSession().getId() != null) {
            Counters.ACTIVATED.incrementAndGet();
        }
    }

    @Override
    public void sessionWillPassivate(HttpSessionEvent event) {
        // First, for who sees the counter reads the log.
        System.out.println("passivated " + value);
        Counters.PASSIVATED.incrementAndGet();
    }

    @Override
    public String toString() {
        return value;
    }
}
