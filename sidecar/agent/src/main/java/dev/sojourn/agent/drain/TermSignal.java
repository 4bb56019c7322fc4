package dev.sojourn.agent.drain;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Holds SIGTERM back until the JVM is quiet, then hands it to whoever had it before: shutdown hooks run and the exit code
 * is what it always was. Reflective, because the API is the JDK's own; without it (or with -Xrs) nothing changes.
 */
public final class TermSignal {
    private TermSignal() {}

    public static void install(Drain drain) {
        try {
            Class<?> signalType = Class.forName("sun.misc.Signal");
            Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            Method handle = handlerType.getMethod("handle", signalType);
            Object signal = signalType.getConstructor(String.class).newInstance("TERM");
            AtomicReference<Object> before = new AtomicReference<>();
            InvocationHandler ours = (proxy, method, arguments) -> {
                if (!method.getName().equals("handle")) {
                    return method.getName().equals("hashCode")
                            ? (Object) System.identityHashCode(proxy)
                            : method.getName().equals("equals") ? (Object) (proxy == arguments[0]) : "sojourn";
                }
                try {
                    Log.info("SIGTERM received at=" + System.currentTimeMillis());
                    drain.awaitQuiet();
                } catch (Exception e) {
                    Log.warn("SIGTERM is handed on without waiting for requests in flight: " + e);
                } finally {
                    // Whatever happened: without it no shutdown hook runs, and Kubernetes kills the JVM in the end.
                    handle.invoke(before.get(), arguments);
                }
                return null;
            };
            Object proxy =
                    Proxy.newProxyInstance(TermSignal.class.getClassLoader(), new Class<?>[] {handlerType}, ours);
            before.set(signalType.getMethod("handle", signalType, handlerType).invoke(null, signal, proxy));
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("SIGTERM is not held back in this JVM: " + e);
        }
    }
}
