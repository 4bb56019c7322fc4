package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.session.Requests;
import dev.sojourn.agent.session.Scope;
import java.io.IOException;
import org.apache.catalina.Container;
import org.apache.catalina.Pipeline;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Answers 503 where the session cannot be had now, and nobody may take it for one that is over: another request has it for itself, or
 * the store cannot be asked and this JVM does not hold it. Around the whole application, and so around the container's error handling,
 * which has made a 500 of it by then; inside of the valve that writes the error's page.
 */
final class BusyValve extends ValveBase {
    private static final int UNAVAILABLE = 503;
    private static final String RETRY_SECONDS = "1";

    private final Requests requests;

    private BusyValve(Requests requests) {
        super(true);
        this.requests = requests;
    }

    /** Once per host, however many applications it has. */
    static void addTo(Container host, Requests requests) {
        Pipeline pipeline = host.getPipeline();
        synchronized (pipeline) {
            for (Valve valve : pipeline.getValves()) {
                if (valve instanceof BusyValve) {
                    return;
                }
            }
            pipeline.addValve(new BusyValve(requests));
        }
    }

    @Override
    public void invoke(Request request, Response response) throws IOException {
        requests.answerable(true);
        try {
            getNext().invoke(request, response);
        } catch (Exception e) {
            // The checked one among them has two names, in javax and jakarta.
            throw BusyValve.<IOException>asIs(e);
        } finally {
            requests.answerable(false);
            Scope scope = requests.used();
            if (scope != null && scope.isBusy() && !response.isCommitted()) {
                answer(request, response);
            }
        }
    }

    private static void answer(Request request, Response response) throws IOException {
        for (String api : new String[] {"javax", "jakarta"}) {
            request.removeAttribute(api + ".servlet.error.exception");
        }
        response.reset();
        response.setHeader("Retry-After", RETRY_SECONDS);
        response.sendError(UNAVAILABLE, "This session cannot be had at the moment");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E asIs(Exception e) throws E {
        throw (E) e;
    }
}
