package dev.sojourn.agent.session;

/** Of objects with what they were, by a thread. The application's code that this runs may come back to where it was begun. */
final class Comparison {
    private static final ThreadLocal<Boolean> AT_WORK = new ThreadLocal<>();

    private Comparison() {}

    static boolean isAtWork() {
        return AT_WORK.get() != null;
    }

    /** Not within another one of this thread. */
    static void run(Runnable comparison) {
        if (isAtWork()) {
            return;
        }
        AT_WORK.set(true);
        try {
            comparison.run();
        } finally {
            AT_WORK.remove();
        }
    }
}
