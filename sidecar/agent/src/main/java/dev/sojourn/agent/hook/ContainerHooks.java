package dev.sojourn.agent.hook;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One container's side of the hooks; implemented beside the container's classes, which this side cannot see. */
public interface ContainerHooks {
    /** The manager that the context shall have instead of the one given. */
    @Nullable
    Object manager(Object context, @Nullable Object given);

    /** True if other threads go on with the request after this one left it. */
    boolean isAsync(Object request);

    /** The connector is about to act on a response. */
    void action(Object processor, Object code);

    /** The connector is about to write bytes to a client, or to close ({@code null}). */
    void writing(Object socket, @Nullable ByteBuffer bytes);

    /** The request of a processor that has nothing to do for it any more; null: it has ended, and the object may be another's by now. */
    @Nullable
    Object skipped(Object processor);

    /** Whether a connector that is to pause goes on instead. */
    boolean pausing(Object connector);
}
