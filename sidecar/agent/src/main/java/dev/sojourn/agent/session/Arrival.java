package dev.sojourn.agent.session;

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
    /** Null: this JVM cannot read the bytes. */
    final @Nullable Object object;
    /** While nobody changes it this JVM writes the same bytes. */
    final boolean verbatim;

    /** Most objects hear nothing of it, and then nobody waits either. */
    private final List<Object> hear;

    private final Thread by = Thread.currentThread();
    private final long until;

    private Arrival(String attribute, Serializer.@Nullable Deserialized read, Home home, SessionState.Host host) {
        this.object = read == null ? null : read.value;
        this.verbatim = read != null && read.verbatim;
        this.hear = object == null ? Collections.emptyList() : whoHear(Groups.objects(attribute, object), host);
        this.until = hear.isEmpty() ? 0 : System.nanoTime() + home.patienceNanos;
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
        Serializer.Deserialized read = null;
        try {
            read = read(attribute, bytes, home);
        } catch (Throwable e) {
            Fatal.rethrow(e);
            home.notes.say(
                    Unreadable.kind(e),
                    home.label(),
                    attribute,
                    Unreadable.className(e),
                    "attribute cannot be read here, it is set aside for this pod and stays in the store",
                    e.toString());
        }
        return new Arrival(attribute, read, home, host);
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
