package dev.sojourn.agent.core;

import java.lang.reflect.Constructor;
import java.security.AccessController;
import java.security.PrivilegedAction;
import org.jspecify.annotations.Nullable;

/**
 * Threads of the agent's. Most are begun by some request of some application, which they outlive: what a thread inherits would keep that application's
 * class loader alive after a redeploy.
 */
public final class OwnThread {
    /** With its last argument false it leaves the inheritable thread locals where they are. Null before Java 9. */
    private static final @Nullable Constructor<Thread> WITHOUT_LOCALS = withoutLocals();

    private OwnThread() {}

    /** Not started; it does not keep the JVM alive. */
    public static Thread of(String name, Runnable work) {
        return of(name, work, 0);
    }

    /** {@code stackBytes}: how large its stack may become; 0: as large as any. */
    public static Thread of(String name, Runnable work, long stackBytes) {
        // A thread keeps the classes of those who begin it, as far as this.
        Thread thread = AccessController.doPrivileged((PrivilegedAction<Thread>) () -> create(name, work, stackBytes));
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }

    private static Thread create(String name, Runnable work, long stackBytes) {
        Constructor<Thread> constructor = WITHOUT_LOCALS;
        if (constructor != null) {
            try {
                return constructor.newInstance(null, work, name, stackBytes, false);
            } catch (ReflectiveOperationException e) {
                Log.debug("a thread inherits what it should not: " + e);
            }
        }
        return new Thread(null, work, name, stackBytes);
    }

    private static @Nullable Constructor<Thread> withoutLocals() {
        try {
            return Thread.class.getConstructor(
                    ThreadGroup.class, Runnable.class, String.class, long.class, boolean.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
