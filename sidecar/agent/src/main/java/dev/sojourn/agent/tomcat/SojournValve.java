package dev.sojourn.agent.tomcat;

import java.io.IOException;
import org.apache.catalina.Container;
import org.apache.catalina.Pipeline;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/** What our valves have in common: one class file for javax and jakarta, whose types must not be named in it. */
abstract class SojournValve extends ValveBase {
    static final int UNAVAILABLE = 503;
    static final String RETRY_AFTER = "Retry-After";
    static final String RETRY_SECONDS = "1";

    SojournValve() {
        super(true);
    }

    /** Once per container, however many applications ask for it. */
    final void addOnceTo(Container container) {
        Pipeline pipeline = container.getPipeline();
        synchronized (pipeline) {
            for (Valve valve : pipeline.getValves()) {
                if (valve.getClass() == getClass()) {
                    return;
                }
            }
            addTo(pipeline);
        }
    }

    /** Behind those that are there. */
    void addTo(Pipeline pipeline) {
        pipeline.addValve(this);
    }

    @Override
    public abstract void invoke(Request request, Response response) throws IOException;

    final void invokeNext(Request request, Response response) throws IOException {
        try {
            getNext().invoke(request, response);
        } catch (Exception e) {
            // The checked one among them has two names.
            throw SojournValve.<IOException>asIs(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E asIs(Exception e) throws E {
        throw (E) e;
    }
}
