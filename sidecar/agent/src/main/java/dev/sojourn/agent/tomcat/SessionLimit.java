package dev.sojourn.agent.tomcat;

import org.jspecify.annotations.Nullable;

/**
 * The {@code maxActiveSessions} of an application's manager. Tomcat holds it against what its manager has in this JVM: here these are copies, of everybody whom other
 * pods have served too, and of sessions that have ended there. New users would be refused, and more pods would not help.
 */
final class SessionLimit {
    private SessionLimit() {}

    /** Null: nothing is to be said, for there is none. */
    static @Nullable String complaint(int limit, String label) {
        if (limit < 0) {
            return null;
        }
        return "maxActiveSessions=" + limit + " of the application's manager is not held: sessions live in the store,"
                + " where no pod counts them, and what a pod has in memory are copies; bound those by memory.sessions,"
                + " and take it out of the <Manager>: context=" + label;
    }
}
