package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;

/**
 * Tells an attribute that it came into this JVM or leaves it (HttpSessionActivationListener), for good where it is nowhere else
 * (HttpSessionBindingListener). Reflective: the listeners' package is the container's, javax or jakarta.
 */
final class Activation {
    private static final @Nullable Activation INSTANCE = create();

    private final Class<?> listener;
    private final Method session;
    private final Constructor<?> event;
    private final Method did;
    private final Method will;
    private final Class<?> bindingListener;
    private final Constructor<?> bindingEvent;
    private final Method unbound;

    private Activation() throws ReflectiveOperationException {
        session = StandardSession.class.getMethod("getSession");
        Class<?> type = session.getReturnType();
        String prefix = type.getName() + "Event";
        Class<?> eventType = Class.forName(prefix, false, type.getClassLoader());
        listener = Class.forName(type.getName() + "ActivationListener", false, type.getClassLoader());
        event = eventType.getConstructor(type);
        did = listener.getMethod("sessionDidActivate", eventType);
        will = listener.getMethod("sessionWillPassivate", eventType);
        bindingListener = Class.forName(type.getName() + "BindingListener", false, type.getClassLoader());
        Class<?> bindingType = Class.forName(type.getName() + "BindingEvent", false, type.getClassLoader());
        bindingEvent = bindingType.getConstructor(type, String.class, Object.class);
        unbound = bindingListener.getMethod("valueUnbound", bindingType);
    }

    private static @Nullable Activation create() {
        try {
            return new Activation();
        } catch (ReflectiveOperationException e) {
            Log.warn("attributes are not told that they come and go, this container's servlet API is unknown: " + e);
            return null;
        }
    }

    /** Whether it is told that it comes or leaves. */
    static boolean hears(Object value) {
        return INSTANCE != null && INSTANCE.listener.isInstance(value);
    }

    static void activated(StandardSession of, Object value) {
        if (INSTANCE != null && INSTANCE.listener.isInstance(value)) {
            INSTANCE.tell(INSTANCE.did, of, value, INSTANCE.event);
        }
    }

    /** False: it does not hear of such. */
    static boolean passivated(StandardSession of, Object value) {
        if (INSTANCE == null || !INSTANCE.listener.isInstance(value)) {
            return false;
        }
        INSTANCE.tell(INSTANCE.will, of, value, INSTANCE.event);
        return true;
    }

    static void unbound(StandardSession of, String name, Object value) {
        if (INSTANCE != null && INSTANCE.bindingListener.isInstance(value)) {
            INSTANCE.tell(INSTANCE.unbound, of, value, INSTANCE.bindingEvent, name, value);
        }
    }

    private void tell(Method what, StandardSession of, Object value, Constructor<?> kind, Object... more) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try {
            thread.setContextClassLoader(
                    of.getManager().getContext().getLoader().getClassLoader());
            Object[] facts = new Object[1 + more.length];
            facts[0] = session.invoke(of);
            System.arraycopy(more, 0, facts, 1, more.length);
            what.invoke(value, kind.newInstance(facts));
        } catch (InvocationTargetException e) {
            complain("an attribute failed at what it was told", what, value, e.getCause());
        } catch (ReflectiveOperationException e) {
            complain("an attribute cannot be told", what, value, e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Whatever it fails with, such as a cause that cannot be printed: the other attributes are to be told too. */
    private static void complain(String line, Method what, Object value, @Nullable Throwable cause) {
        try {
            Log.warnOnce(line + ": method=" + what.getName() + " class="
                    + value.getClass().getName() + " cause=" + cause);
        } catch (Throwable ignored) {
            // There is no memory for a word about it.
        }
    }
}
