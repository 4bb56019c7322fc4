package dev.sojourn.agent;

import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What hooked container code calls. It lies on the class path, where every container loader that delegates finds it (the
 * transformer checks that), and speaks only the JDK's types, so that the agent's own classes stay out of sight.
 *
 * <p>A hook that throws must never fail a request.
 */
public final class Bridge {
    private static volatile @Nullable BiFunction<Object, @Nullable Object, @Nullable Object> manager;
    private static volatile @Nullable BiConsumer<Object, Boolean> enter;
    private static volatile @Nullable BiConsumer<Object, Boolean> exit;
    private static volatile @Nullable Consumer<Object> recycling;
    private static volatile @Nullable BiConsumer<Object, Object> action;
    private static volatile @Nullable BiConsumer<Object, Object> writing;
    private static volatile @Nullable Predicate<Object> pausing;
    private static volatile @Nullable Consumer<Object> skipping;
    private static volatile boolean complained;
    private static volatile boolean inTrouble;

    /** In place of bytes. */
    private static final Object CLOSING = new Object();

    private Bridge() {}

    /** In the order of the fields above; null when the agent is switched off. */
    @SuppressWarnings("unchecked")
    static void install(Object @Nullable [] hooks) {
        if (hooks == null) {
            return;
        }
        manager = (BiFunction<Object, @Nullable Object, @Nullable Object>) hooks[0];
        enter = (BiConsumer<Object, Boolean>) hooks[1];
        exit = (BiConsumer<Object, Boolean>) hooks[2];
        recycling = (Consumer<Object>) hooks[3];
        action = (BiConsumer<Object, Object>) hooks[4];
        writing = (BiConsumer<Object, Object>) hooks[5];
        pausing = (Predicate<Object>) hooks[6];
        skipping = (Consumer<Object>) hooks[7];
    }

    /** {@code StandardContext.setManager}: the manager to set instead. */
    public static @Nullable Object manager(Object context, @Nullable Object given) {
        BiFunction<Object, @Nullable Object, @Nullable Object> hook = manager;
        if (hook == null) {
            return given;
        }
        try {
            return hook.apply(context, given);
        } catch (Throwable problem) {
            complain("session manager", problem);
            return given;
        }
    }

    /** A container thread begins to work on a request; {@code fresh}: it is a new one, not a dispatch of an old one. */
    public static void enter(Object request, boolean fresh) {
        call(enter, request, fresh);
    }

    /** A container thread leaves a request; {@code failed}: the container gives it up, whatever its state. */
    public static void exit(Object request, boolean failed) {
        call(exit, request, failed);
    }

    /** {@code CoyoteAdapter.asyncDispatch} returned. */
    public static void exitDispatch(Object request, boolean success) {
        call(exit, request, !success);
    }

    /** {@code Request.recycle} of the connector's: nobody comes back to what it was. */
    public static void recycling(Object request) {
        end(recycling, request);
    }

    /** {@code StreamProcessor.process}, under its lock; not {@code known}: it does nothing, for its stream has been given up. */
    public static void processing(Object processor, boolean known) {
        if (!known) {
            end(skipping, processor);
        }
    }

    /** {@code AbstractProcessor.action}, before the container acts. */
    public static void action(Object processor, Object code) {
        BiConsumer<Object, Object> hook = action;
        if (hook == null) {
            return;
        }
        try {
            hook.accept(processor, code);
        } catch (Throwable problem) {
            complain("response", problem);
        }
    }

    /** {@code NioSocketWrapper.doWrite}, before the container writes. */
    public static void writing(Object socket, Object bytes) {
        write(socket, bytes);
    }

    /** {@code NioSocketWrapper.doClose}, before the container closes. */
    public static void closing(Object socket) {
        write(socket, CLOSING);
    }

    /** {@code Connector.pause}: whether it is to go on instead. */
    public static boolean pausing(Object connector) {
        Predicate<Object> hook = pausing;
        if (hook == null) {
            return false;
        }
        try {
            return hook.test(connector);
        } catch (Throwable problem) {
            complain("connector", problem);
            return false;
        }
    }

    private static void end(@Nullable Consumer<Object> hook, Object first) {
        if (hook == null) {
            return;
        }
        try {
            hook.accept(first);
        } catch (Throwable problem) {
            complain("request", problem);
        }
    }

    private static void write(Object socket, Object bytes) {
        BiConsumer<Object, Object> hook = writing;
        if (hook == null) {
            return;
        }
        try {
            hook.accept(socket, bytes);
        } catch (Throwable problem) {
            complain("response", problem);
        }
    }

    // Only for two of them, and not for all: a call with more than two targets is one that the JIT cannot inline, and
    // all of this is little more than
    // calls.
    private static <T> void call(@Nullable BiConsumer<Object, T> hook, Object first, T second) {
        if (hook == null) {
            return;
        }
        try {
            hook.accept(first, second);
        } catch (Throwable problem) {
            complain("request", problem);
        }
    }

    private static void complain(String hook, Throwable problem) {
        if (problem instanceof VirtualMachineError && !(problem instanceof StackOverflowError)) {
            complainOfTrouble(hook, problem);
        } else if (!complained) {
            complained = true;
            System.err.println(
                    "sojourn: the " + hook + " hook failed, this is a bug in the agent (said once): " + problem);
            problem.printStackTrace();
        }
    }

    private static void complainOfTrouble(String hook, Throwable problem) {
        if (!inTrouble) {
            inTrouble = true;
            System.err.println(
                    "sojourn: the " + hook + " hook failed, the JVM has no memory left or is in other trouble"
                            + " (said once): " + problem
                            + "; what the request has changed in its session may not be in the store until that"
                            + " is used here again");
        }
    }
}
