package dev.sojourn.agent.session;

import java.io.NotSerializableException;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The outcome of serializing a value that other threads may be changing. */
final class Written {
    private static final int ATTEMPTS = 4;
    // Failing costs as much as succeeding; an object that could not be written will rarely be able to a second later.
    static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Null if there are none. */
    final byte @Nullable [] bytes;
    /** What its code threw; null: it did not fail by that. */
    private final @Nullable Throwable failure;

    final long retryAt = System.nanoTime() + RETRY_NANOS;

    private final Notes.Kind kind;
    private final String className;
    private final String cause;
    /** Nobody was changing it, as far as one can tell. */
    private final boolean calm;

    private Written(byte[] bytes, Serializer.@Nullable Unread unread, boolean calm) {
        this(
                bytes,
                null,
                calm,
                unread == null ? Notes.Kind.UNREADABLE : unread.kind,
                unread == null ? "" : unread.type.getName(),
                unread == null ? "" : unread.cause);
    }

    private Written(
            byte @Nullable [] bytes,
            @Nullable Throwable failure,
            boolean calm,
            Notes.Kind kind,
            String className,
            String cause) {
        this.bytes = bytes;
        this.calm = calm;
        this.failure = failure;
        this.kind = kind;
        this.className = className;
        this.cause = cause;
    }

    /**
     * {@code like}: its bytes when it was last written. {@code shared}: another request may be changing it. Then, and where a thread of the application that
     * belongs to no request might do so unnoticed, what is new is written until it is the same twice.
     */
    static Written of(Home home, Object value, byte @Nullable [] like, boolean shared) {
        String type = value.getClass().getName();
        byte[] before = like;
        for (int attempt = 1; ; attempt++) {
            try {
                Serializer.Serialized written = home.serializer.write(value, before);
                byte[] bytes = written.bytes;
                boolean calm = !shared && !written.heedless || Arrays.equals(bytes, before);
                // Who is changing it all the time commits it himself when he is done; and some write something else
                // each time.
                if (calm || attempt == ATTEMPTS) {
                    return new Written(bytes, written.unread, calm);
                }
                before = bytes;
            } catch (Scratch.Full e) {
                return new Written(null, null, true, Notes.Kind.LARGE, type, "it has " + e.getMessage());
            } catch (NotSerializableException e) {
                String cause = "not serializable: " + e.getMessage()
                        + "; make that serializable, or keep it out (transient) and"
                        + " have the class find it again when it is read";
                return new Written(null, e, true, Notes.Kind.UNSERIALIZABLE, type, cause);
            } catch (Throwable e) {
                Fatal.rethrow(e);
                // The next attempt has no more of a stack.
                if (attempt == ATTEMPTS || e instanceof StackOverflowError) {
                    return new Written(null, e, true, Notes.Kind.UNSERIALIZABLE, type, e.toString());
                }
                // Most likely another thread is changing it just now.
                Thread.yield();
            }
        }
    }

    /** It cannot leave this JVM, whatever it is: it is called so. */
    static Written unnameable(Object value) {
        return new Written(
                null, null, true, Notes.Kind.UNSERIALIZABLE, value.getClass().getName(), AttributeName.WHY);
    }

    boolean isCalm() {
        return calm;
    }

    /** Another thread was changing it all the time, as far as one can tell: the next commit tries again. */
    boolean isTorn() {
        return failure instanceof ConcurrentModificationException;
    }

    /** It may have been another thread, or the object itself; a few commits will tell. */
    boolean isPerhapsTorn() {
        return failure instanceof RuntimeException;
    }

    /** There was no stack that is deep enough: what else needs one has none now either. */
    boolean isForWantOfStack() {
        return failure instanceof DeepStack.Busy;
    }

    /** What nobody has set is tried again at once, for it may be another by then and be written: where the stack was too small that costs too much. */
    long leftUntil() {
        return isForWantOfStack() || failure instanceof StackOverflowError ? retryAt : System.nanoTime();
    }

    /** It has bytes, and no JVM will make an object of them. */
    boolean isRefused() {
        return bytes != null && !className.isEmpty();
    }

    /** Without bytes it stays in this JVM, and this is why. With them it may be one that is lost where it goes, which nobody would notice here. */
    void complain(Home home, String attribute) {
        if (bytes == null || isRefused()) {
            String line = bytes == null
                    ? "attribute stays in this JVM, other pods will not see it"
                    : "attribute cannot be read again, neither on another pod nor here";
            home.notes.say(kind, home.label(), attribute, className, line, cause);
        }
    }

    /** It could not be written to be compared, and the store's bytes are left alone. */
    void complainOfLeft(Home home, String attribute) {
        String line = "attribute cannot be written here, though nobody has set it; what the store has of it stays";
        home.notes.say(kind, home.label(), attribute, className, line, cause);
    }
}
