package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.core.Log;
import java.lang.reflect.Method;
import org.apache.coyote.AbstractProcessor;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/** The sockets that processors work for, which Tomcat keeps to itself. */
final class Sockets {
    private static final @Nullable Method OF = find();

    private Sockets() {}

    /** Null: it has none, or nobody can tell. */
    static @Nullable SocketWrapperBase<?> of(AbstractProcessor processor) {
        if (OF == null) {
            return null;
        }
        try {
            return (SocketWrapperBase<?>) OF.invoke(processor);
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("a processor's socket is not told: " + e);
            return null;
        }
    }

    private static @Nullable Method find() {
        try {
            Method method = AbstractProcessor.class.getDeclaredMethod("getSocketWrapper");
            method.setAccessible(true);
            return method;
        } catch (ReflectiveOperationException | RuntimeException e) {
            Log.debug("processors' sockets are not told, this Tomcat is another one: " + e);
            return null;
        }
    }
}
