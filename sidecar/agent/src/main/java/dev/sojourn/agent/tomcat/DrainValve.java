package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.drain.Drain;
import dev.sojourn.agent.hook.Services;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.Field;
import org.apache.catalina.Container;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Pipeline;
import org.apache.catalina.Service;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardPipeline;
import org.jspecify.annotations.Nullable;

/**
 * Says when somebody comes while the pod drains, and refuses what comes once SIGTERM is handed on, so that a proxy can send it elsewhere. In the engine, for
 * hosts and contexts are taken out of it one by one as Tomcat stops: who comes for one that has gone would be told 404.
 */
final class DrainValve extends SojournValve {
    private static final String PROBE = "kube-probe/";

    private final Drain drain;

    DrainValve(Drain drain) {
        this.drain = drain;
    }

    /** This JVM serves: requests of the applications in this host are waited for as it ends, whoever keeps their sessions. */
    static void begin(Services services, @Nullable Container host) {
        services.begin();
        Container engine = host == null ? null : host.getParent();
        if (engine != null) {
            new DrainValve(services.drain).addOnceTo(engine);
        }
    }

    @Override
    public void invoke(Request request, Response response) throws IOException {
        if (drain.isAnnounced()) {
            if (drain.refuses()) {
                refuse(response);
                return;
            }
            if (!isProbe(request)) {
                drain.came();
            }
        }
        invokeNext(request, response);
    }

    /**
     * Before those that are there: Tomcat stops them while its connectors still serve. One that has let go by then of what it needs, as a SemaphoreValve has, would
     * fail who is to be refused.
     */
    @Override
    void addTo(Pipeline pipeline) {
        try {
            Field first = StandardPipeline.class.getDeclaredField("first");
            first.setAccessible(true);
            setContainer(pipeline.getContainer());
            if (((Lifecycle) pipeline).getState().isAvailable()) {
                start();
            }
            setNext(pipeline.getFirst());
            first.set(pipeline, this);
        } catch (ReflectiveOperationException | LifecycleException | RuntimeException e) {
            Log.debug("who comes as the container stops is refused behind its other valves: " + e);
            super.addTo(pipeline);
        }
    }

    /**
     * Whether who comes by this connector is refused. It must not pause then, as it is told to before the container is taken apart: it would cut off,
     * without a word, whoever comes until that is done, and nobody may send again what broke off like this. When it stops the container has stopped.
     */
    static boolean refusesBehind(Connector connector) {
        Service service = connector.getService();
        Engine engine = service == null ? null : service.getContainer();
        if (engine == null) {
            return false;
        }
        for (Valve valve : engine.getPipeline().getValves()) {
            if (valve instanceof DrainValve) {
                return ((DrainValve) valve).drain.refuses();
            }
        }
        return false;
    }

    /**
     * The kubelet asks to the end, and sends nobody here: it would be quiet only between two of its probes. A load balancer's health checks count, for who
     * still asks may still send users; and others that ask, such as Prometheus, come too seldom to hold anything up.
     */
    private static boolean isProbe(Request request) {
        String agent = request.getHeader("User-Agent");
        return agent != null && agent.startsWith(PROBE);
    }

    private static void refuse(Response response) throws IOException {
        response.setStatus(UNAVAILABLE);
        response.setHeader(RETRY_AFTER, RETRY_SECONDS);
        response.setHeader(Drain.HEADER, "true");
        response.setHeader(Drain.REFUSED, "true");
        response.setContentType("text/plain");
        // Not the stream, whose type has two names.
        PrintWriter writer = response.getReporter();
        if (writer != null) {
            writer.println("This pod is about to end, and has not begun with this request: send it again.");
        }
    }
}
