package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.NotSerializableException;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The outcome of serializing a value that other threads may be changing. */
final class Written {
    private static final int ATTEMPTS = 4;
    // Failing costs as much as succeeding; an object that could not be written will rarely be able to a second later.
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** The protocol's limit for one value. */
    private static final int MAX_BYTES = 16 << 20;

    /** Null if there are none. */
    final byte @Nullable [] bytes;
    /** Another thread was changing it all the time: next time. */
    final boolean torn;

    final long retryAt;

    private Written(byte @Nullable [] bytes, boolean torn) {
        this.bytes = bytes;
        this.torn = torn;
        this.retryAt = System.nanoTime() + RETRY_NANOS;
    }

    static Written of(Home home, String name, Object value) {
        for (int attempt = 1; ; attempt++) {
            try {
                byte[] bytes = home.serializer.write(value);
                if (bytes.length > MAX_BYTES) {
                    complain(home, name, value, "it has " + bytes.length + " bytes, the limit is " + MAX_BYTES);
                    return new Written(null, false);
                }
                return new Written(bytes, false);
            } catch (NotSerializableException e) {
                complain(home, name, value, "not serializable: " + e.getMessage());
                return new Written(null, false);
            } catch (OutOfMemoryError e) {
                throw e;
            } catch (Exception | LinkageError | StackOverflowError e) {
                if (attempt == ATTEMPTS) {
                    if (e instanceof ConcurrentModificationException) {
                        return new Written(null, true);
                    }
                    complain(home, name, value, e.toString());
                    return new Written(null, false);
                }
                // Most likely another thread is changing it just now.
                Thread.yield();
            }
        }
    }

    private static void complain(Home home, String name, Object value, String why) {
        Log.warnOnce("attribute stays in this JVM, other pods will not see it: context=" + home.label() + " attribute="
                + Attribute.printable(name) + " class=" + value.getClass().getName() + " cause=" + why);
    }
}
