package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.drain.Drain;
import dev.sojourn.agent.hook.ContainerHooks;
import dev.sojourn.agent.hook.Services;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.PersistentManager;
import org.apache.catalina.session.StandardManager;
import org.apache.coyote.AbstractProcessor;
import org.apache.coyote.ActionCode;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.jspecify.annotations.Nullable;

/** Tomcat's side of the hooks. Found by name: {@link dev.sojourn.agent.hook.Containers}. */
public final class TomcatHooks implements ContainerHooks {
    private final Services services;
    private final Holds holds;

    public TomcatHooks(Services services) {
        this.services = services;
        this.holds = new Holds(services.requests);
    }

    @Override
    public @Nullable Object manager(Object context, @Nullable Object given) {
        if (given == null || given instanceof SojournManager) {
            return given;
        }
        String path = ((Context) context).getPath();
        if (path != null && services.config.excludedContexts.contains(path.isEmpty() ? "/" : path)) {
            Log.info("context left alone, it is excluded: context=" + path);
            LeftAlone.watch((Context) context, services);
            return given;
        }
        // Exactly these: a subclass, or anybody else's, is somebody's decision to keep sessions differently.
        if (given.getClass() != StandardManager.class && given.getClass() != PersistentManager.class) {
            Log.warn("context left alone, it has a session manager of its own: context=" + path + " manager="
                    + given.getClass().getName() + "; remove that <Manager> if Sojourn shall keep its sessions");
            LeftAlone.watch((Context) context, services);
            return given;
        }
        return new SojournManager(services, (ManagerBase) given);
    }

    @Override
    public boolean isAsync(Object request) {
        AtomicBoolean async = new AtomicBoolean();
        ((Request) request).action(ActionCode.ASYNC_IS_ASYNC, async);
        return async.get();
    }

    @Override
    public void action(Object processor, Object code) {
        if (code == ActionCode.UPGRADE) {
            WebSockets.opening(((AbstractProcessor) processor).getRequest());
        }
        if (code != ActionCode.COMMIT && code != ActionCode.CLOSE && code != ActionCode.CLIENT_FLUSH) {
            return;
        }
        Request request = ((AbstractProcessor) processor).getRequest();
        Response response = request.getResponse();
        boolean committed = response.isCommitted();
        if (code == ActionCode.CLIENT_FLUSH) {
            // Of what has not begun the first bytes are yet to come here.
            if (committed) {
                services.requests.beforeFlush(request);
            }
            return;
        }
        if (committed && code == ActionCode.COMMIT) {
            return;
        }
        if (!committed && services.drain.sendsAway()) {
            response.setHeader(Drain.HEADER, "true");
        }
        services.requests.beforeBytes(
                request,
                code == ActionCode.CLOSE,
                () -> RequestSession.heldOf(request),
                () -> holds.of((AbstractProcessor) processor, request));
    }

    @Override
    public void writing(Object socket, @Nullable ByteBuffer bytes) {
        holds.writing(socket, bytes);
    }

    /** One that has ended has no socket any more; Tomcat 9.0.95, 10.1.30 and 11.0.0-M26 gave the requests of those that have not to others. */
    @Override
    public @Nullable Object skipped(Object processor) {
        AbstractProcessor skipped = (AbstractProcessor) processor;
        Request request = skipped.getRequest();
        return Sockets.of(skipped) != null && Processors.of(request) == processor ? request : null;
    }

    @Override
    public boolean pausing(Object connector) {
        return DrainValve.refusesBehind((Connector) connector);
    }
}
