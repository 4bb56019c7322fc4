package dev.sojourn.agent.session;

/** A response whose bytes can wait for the commit in place of the thread that made them. */
public interface Later {
    /** From now on its bytes are held back; they may be made meanwhile. */
    void begin();

    /** The commit is in the store, or will be sent later: its bytes may leave. Once, by any thread, which must not be kept. */
    void end();
}
