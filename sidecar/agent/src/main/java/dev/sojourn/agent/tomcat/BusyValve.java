package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.session.Requests;
import dev.sojourn.agent.session.Scope;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;

/**
 * Answers 503 where the session cannot be had now, and nobody may take it for one that is over: another request has it for itself, or
 * the store cannot be asked and this JVM does not hold it. Around the whole application, and so around the container's error handling,
 * which has made a 500 of it by then; inside of the valve that writes the error's page.
 */
final class BusyValve extends SojournValve {
    /**
     * Envoy sends a GET that is answered 503 to another pod, up to three times, but not with this. Where another request has the session
     * each of them would wait as long again, and everybody behind them.
     */
    private static final String NOT_AGAIN = "x-envoy-ratelimited";

    private final Requests requests;

    BusyValve(Requests requests) {
        this.requests = requests;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException {
        requests.inside(true);
        try {
            invokeNext(request, response);
        } finally {
            requests.inside(false);
            Scope scope = requests.used();
            if (scope != null && scope.isBusy() && !response.isCommitted()) {
                answer(request, response, scope.isWithAnother());
            }
        }
    }

    private static void answer(Request request, Response response, boolean withAnother) throws IOException {
        for (String api : new String[] {"javax", "jakarta"}) {
            request.removeAttribute(api + ".servlet.error.exception");
        }
        response.reset();
        response.setHeader(RETRY_AFTER, RETRY_SECONDS);
        if (withAnother) {
            response.setHeader(NOT_AGAIN, "true");
        }
        response.sendError(UNAVAILABLE, "This session cannot be had at the moment");
    }
}
