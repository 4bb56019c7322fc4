package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Numbers;
import org.apache.catalina.Container;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.Server;
import org.apache.catalina.Service;

/**
 * What the names of sessions of a JVM's further engines begin with: a second Service, or the Tomcat that Spring Boot has for its management port, may have an
 * application at the same path, and a browser sends the same cookie to both ports. Tomcat keeps such apart.
 *
 * <p>By their order, which is the same in each pod: what Boot calls its engines counts on where a context is begun again in the same JVM.
 */
final class EngineName {
    /** Once an engine is over, the next has its place. */
    private static final class Over implements LifecycleListener {
        private final Numbers numbers;

        private Over(Numbers numbers) {
            this.numbers = numbers;
        }

        @Override
        public void lifecycleEvent(LifecycleEvent event) {
            if (event.getType().equals(Lifecycle.AFTER_DESTROY_EVENT)) {
                numbers.giveBack(event.getLifecycle());
            }
        }
    }

    private EngineName() {}

    /** Empty for the first, which is all that most have. No host's name has a colon. */
    static String of(Context context, Numbers numbers) {
        Container host = context.getParent();
        Container engine = host == null ? null : host.getParent();
        if (!(engine instanceof Engine)) {
            return "";
        }
        Service service = ((Engine) engine).getService();
        Server server = service == null ? null : service.getServer();
        if (server != null) {
            // Not in the order of their applications, one of which may be missing.
            for (Service each : server.findServices()) {
                number(each.getContainer(), numbers);
            }
        }
        int number = number((Engine) engine, numbers);
        return number == 0 ? "" : number + 1 + ":";
    }

    private static int number(Engine engine, Numbers numbers) {
        boolean isKnown = false;
        for (LifecycleListener each : engine.findLifecycleListeners()) {
            isKnown |= each instanceof Over;
        }
        if (!isKnown) {
            engine.addLifecycleListener(new Over(numbers));
        }
        return numbers.of(engine);
    }
}
