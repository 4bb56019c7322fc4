package dev.sojourn.agent.session;

import dev.sojourn.agent.core.Log;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An attribute's object that comes into this JVM, made of the store's bytes. One thread tells it that it is here. Others that read it meanwhile wait: an ordinary
 * container too activates a session before anybody can find it. Not for long: what is told may wait for them.
 */
final class Arrival {
    /** Null: this JVM cannot read the bytes, or not yet. */
    final @Nullable Object object;
    /** If it cannot. */
    final @Nullable SetAside setAside;
    /** What this JVM writes of it while nobody changes it; null: to be found out when it is asked for. */
    final byte @Nullable [] rewritten;

    /** Most objects hear nothing of it, and then nobody waits either. */
    private final List<Object> hear;

    private final Thread by = Thread.currentThread();
    private final long until;

    private Arrival(String attribute, Object object, byte @Nullable [] rewritten, Home home, SessionState.Host host) {
        this.object = object;
        this.rewritten = rewritten;
        this.setAside = null;
        this.hear = whoHear(Groups.objects(attribute, object), host);
        this.until = hear.isEmpty() ? 0 : System.nanoTime() + home.patienceNanos;
    }

    private Arrival(SetAside setAside) {
        this.object = null;
        this.rewritten = null;
        this.setAside = setAside;
        this.hear = Collections.emptyList();
        this.until = 0;
    }

    /** Nothing is allocated where none does: this is done of all that is read. */
    private static List<Object> whoHear(Collection<Object> objects, SessionState.Host host) {
        List<Object> hear = Collections.emptyList();
        for (Object each : objects) {
            if (host.hears(each)) {
                hear = hear.isEmpty() ? new ArrayList<>(1) : hear;
                hear.add(each);
            }
        }
        return hear;
    }

    static Arrival of(String attribute, byte[] bytes, Home home, SessionState.Host host) {
        Serializer.Deserialized read;
        try {
            read = read(attribute, bytes, home);
        } catch (DeepStack.Busy e) {
            Log.warnOnce(
                    "attribute cannot be read yet, it is too deep for a request's stack; the next request tries again: context="
                            + home.label() + " attribute=" + Attribute.printable(attribute) + " cause="
                            + e.getMessage());
            return new Arrival(SetAside.forNow());
        } catch (Throwable e) {
            Fatal.rethrow(e);
            home.notes.say(
                    Unreadable.kind(e),
                    home.label(),
                    attribute,
                    Unreadable.className(e),
                    "attribute cannot be read here, it is set aside for this pod and stays in the store",
                    e.toString());
            return new Arrival(SetAside.FOR_GOOD);
        }
        Object object = read.value;
        return object == null
                ? new Arrival(SetAside.FOR_GOOD)
                : new Arrival(attribute, object, rewritten(read, bytes, home), home, host);
    }

    /**
     * Where another object of the same bytes would be written in another way, this one alone can tell how it is written while nobody changes it, and only now
     * that nobody has it. Others wait until a commit asks for it.
     */
    private static byte @Nullable [] rewritten(Serializer.Deserialized read, byte[] bytes, Home home) {
        Object object = read.value;
        if (read.verbatim) {
            return bytes;
        }
        if (object == null || !read.fickle || Immutables.contains(object)) {
            return null;
        }
        try {
            return home.serializer.write(object, bytes).bytes;
        } catch (OutOfMemoryError e) {
            // It was read, and whoever asked for it gets it.
            return null;
        } catch (Throwable e) {
            // A commit will tell, if it is to be written then.
            Fatal.rethrow(e);
            return null;
        }
    }

    /** An object that nobody is to have. */
    static Serializer.Deserialized read(String attribute, byte[] bytes, Home home)
            throws IOException, ClassNotFoundException {
        return home.serializer.read(bytes, Attribute.isContainers(attribute) && !Groups.isGroup(attribute));
    }

    boolean isHeard() {
        return !hear.isEmpty();
    }

    void tell(SessionState.Host host) {
        hear.forEach(host::activated);
    }

    /** {@code monitor}: held, and notified once it is told. False: it is to be waited for no longer, or not at all by the thread that tells it. */
    boolean await(Object monitor) {
        long left = by == Thread.currentThread() ? 0 : until - System.nanoTime();
        if (left <= 0) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.timedWait(monitor, left);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
