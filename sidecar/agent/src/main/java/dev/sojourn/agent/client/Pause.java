package dev.sojourn.agent.client;

/** On cores that are busy others have a turn before this thread goes on. */
final class Pause {
    static final Pause FOR_OTHERS = new Pause(Thread::yield);

    private final Runnable yields;

    Pause(Runnable yields) {
        this.yields = yields;
    }

    void take() {
        try {
            yields.run();
        } catch (OutOfMemoryError e) {
            // A virtual thread takes memory for it. Without there is no pause, and what the caller has begun goes on.
        }
    }
}
