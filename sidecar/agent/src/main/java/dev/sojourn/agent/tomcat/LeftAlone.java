package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.hook.Services;
import java.util.Arrays;
import org.apache.catalina.Context;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;

/** A context whose sessions somebody else keeps: its requests are waited for all the same as the pod ends, once it serves. */
final class LeftAlone implements LifecycleListener {
    private final Services services;

    private LeftAlone(Services services) {
        this.services = services;
    }

    /** It may have no host yet, and may never start. */
    static void watch(Context context, Services services) {
        if (Arrays.stream(context.findLifecycleListeners()).noneMatch(LeftAlone.class::isInstance)) {
            context.addLifecycleListener(new LeftAlone(services));
        }
    }

    @Override
    public void lifecycleEvent(LifecycleEvent event) {
        if (!event.getType().equals(Lifecycle.START_EVENT)) {
            return;
        }
        try {
            DrainValve.begin(services, ((Context) event.getLifecycle()).getParent());
        } catch (RuntimeException | LinkageError e) {
            // Else the application would not start.
            Log.warn("SIGTERM is not held back for a context that is left alone, this is a bug: ", e);
        }
    }
}
