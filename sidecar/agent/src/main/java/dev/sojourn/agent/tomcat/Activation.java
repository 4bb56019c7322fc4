package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;

/**
 * Tells an attribute that it came into this JVM or leaves it (HttpSessionActivationListener). Reflective: the listener's
 * package is the container's, javax or jakarta.
 */
final class Activation {
    private static final @Nullable Activation INSTANCE = create();

    private final Class<?> listener;
    private final Method session;
    private final Constructor<?> event;
    private final Method did;
    private final Method will;

    private Activation() throws ReflectiveOperationException {
        session = StandardSession.class.getMethod("getSession");
        Class<?> type = session.getReturnType();
        String prefix = type.getName() + "Event";
        Class<?> eventType = Class.forName(prefix, false, type.getClassLoader());
        listener = Class.forName(type.getName() + "ActivationListener", false, type.getClassLoader());
        event = eventType.getConstructor(type);
        did = listener.getMethod("sessionDidActivate", eventType);
        will = listener.getMethod("sessionWillPassivate", eventType);
    }

    private static @Nullable Activation create() {
        try {
            return new Activation();
        } catch (ReflectiveOperationException e) {
            Log.warn("attributes are not told of their activation, this container's servlet API is unknown: " + e);
            return null;
        }
    }

    static void activated(StandardSession of, Object value) {
        if (INSTANCE != null && INSTANCE.listener.isInstance(value)) {
            INSTANCE.tell(INSTANCE.did, of, value);
        }
    }

    /** False: it does not hear of such. */
    static boolean passivated(StandardSession of, Object value) {
        if (INSTANCE == null || !INSTANCE.listener.isInstance(value)) {
            return false;
        }
        INSTANCE.tell(INSTANCE.will, of, value);
        return true;
    }

    private void tell(Method what, StandardSession of, Object value) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            thread.setContextClassLoader(
                    of.getManager().getContext().getLoader().getClassLoader());
            what.invoke(value, event.newInstance(session.invoke(of)));
        } catch (InvocationTargetException e) {
            Log.warnOnce("an attribute's activation listener failed: class="
                    + value.getClass().getName() + " cause=" + e.getCause());
        } catch (ReflectiveOperationException e) {
            Log.warnOnce("an attribute's activation listener cannot be called: class="
                    + value.getClass().getName() + " cause=" + e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
