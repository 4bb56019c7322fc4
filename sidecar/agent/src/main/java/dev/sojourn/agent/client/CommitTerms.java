package dev.sojourn.agent.client;

/** What a commit says beside its changes. */
public final class CommitTerms {
    /** The version that the changes were made on; 0 creates the session. */
    public final long base;
    /** Seconds until the session ends unused; -1 for never. */
    public final int idle;
    /** When the session was created; milliseconds since the epoch. */
    public final long created;
    /** {@link Opened#NO_LOCK} if the session was not opened exclusively. */
    public final long lock;
    /** It is no access: the idle time goes on. */
    public final boolean passive;

    public CommitTerms(long base, int idle, long created, long lock, boolean passive) {
        this.base = base;
        this.idle = idle;
        this.created = created;
        this.lock = lock;
        this.passive = passive;
    }
}
