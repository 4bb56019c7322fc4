package dev.sojourn.agent.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An attribute at one moment: its object, and what the store held of it. Whether they are the same is for the application's own code to say, which
 * never runs under the attribute's monitor.
 */
final class Picture {
    final Attribute of;
    final Object value;
    final int stamp;
    /** {@link AttributeState#sets}. */
    final int sets;
    /** Null: the store has nothing, or nothing that counts. */
    final byte @Nullable [] known;
    /** What this JVM writes of that while nobody changes it; null: to be found out. */
    private final byte @Nullable [] own;
    /** What the object was, in the store or in its place, before anybody could change it; null: somebody has set it since. */
    private final byte @Nullable [] origin;

    Picture(
            Attribute of,
            Object value,
            int stamp,
            int sets,
            byte @Nullable [] known,
            byte @Nullable [] own,
            byte @Nullable [] origin) {
        this.of = of;
        this.value = value;
        this.stamp = stamp;
        this.sets = sets;
        this.known = known;
        this.own = own;
        this.origin = origin;
    }

    /** Of the same, at a later moment. */
    Picture again() {
        return new Picture(of, value, stamp, sets, known, own, origin);
    }

    boolean isSame(Picture other) {
        return value == other.value && stamp == other.stamp && known == other.known && origin == other.origin;
    }

    Written written(Home home, boolean shared) {
        byte[] like = known == null ? origin : known;
        return Written.of(home, value, own == null ? like : own, shared);
    }

    boolean wasSet() {
        return origin == null;
    }

    /** The store has nothing of the session, or nothing that counts. */
    boolean isOfNone() {
        return known == null;
    }

    /**
     * Of an object that is not to be sent, or cannot: whether nothing says that it is another than what the store holds. Nobody has set it, and it is written as it was; or
     * cannot be written, and no more can one that is read of the same bytes, which nobody has changed for certain.
     */
    boolean mayBeAsStored(Home home, Written written) {
        byte[] was = origin;
        if (was == null || written.isTorn()) {
            return false;
        }
        byte[] bytes = written.bytes;
        return bytes == null
                ? written.isForWantOfStack() || of.isLeft(was) || readAndWritten(home, was, was) == null
                : Arrays.equals(bytes, was) || isUnchanged(home, bytes);
    }

    /** In place: nobody has set it. What another thread is changing just now is. */
    boolean isChanged(Home home) {
        if (Immutables.contains(value)) {
            return false;
        }
        Written written = written(home, false);
        byte[] bytes = written.bytes;
        return bytes == null ? written.isTorn() : !isUnchanged(home, bytes);
    }

    /**
     * Whether an object of which this JVM writes {@code bytes} is still what the store holds. They may be others, though nobody touched it: HashSet
     * writes how much room it has, and of enums as keys the order differs from JVM to JVM. To send them would be to undo what another pod has
     * committed meanwhile.
     */
    boolean isUnchanged(Home home, byte[] bytes) {
        if (Arrays.equals(bytes, known) || Arrays.equals(bytes, own)) {
            return true;
        }
        if (known == null || own != null) {
            return false;
        }
        byte[] again = readAndWritten(home, known, bytes);
        of.writes(known, again);
        return Arrays.equals(bytes, again);
    }

    /** Null if it cannot be done: then the object counts as changed. */
    private byte @Nullable [] readAndWritten(Home home, byte[] known, byte[] like) {
        try {
            Object object = Arrival.read(of.name, known, home).value;
            return object == null ? null : Written.of(home, object, like, false).bytes;
        } catch (Throwable e) {
            Fatal.rethrow(e);
            return null;
        }
    }
}
