package dev.sojourn.agent.session;

import java.util.concurrent.TimeUnit;

/**
 * An attribute's object has come into this JVM, and one thread tells it so. Others that read it meanwhile wait: an ordinary container too activates a session
 * before anybody can find it. Not for long: what is told may wait for them.
 */
final class Activating {
    private final Thread by = Thread.currentThread();
    private final long until;

    Activating(long patienceNanos) {
        until = System.nanoTime() + patienceNanos;
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

    /** {@code object}: the attribute's. */
    static void tell(SessionState.Host host, String attribute, Object object) {
        if (Groups.isGroup(attribute)) {
            for (Object member : Groups.members(object).values()) {
                host.activated(member);
            }
        } else if (!Attribute.isContainers(attribute)) {
            host.activated(object);
        }
    }
}
