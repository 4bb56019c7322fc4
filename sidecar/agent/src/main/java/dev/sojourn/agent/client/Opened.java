package dev.sojourn.agent.client;

/** A session as the store has it, relative to the version that was held. */
public final class Opened {
    public static final long NO_LOCK = 0;

    public final long version;
    public final long created;
    public final long accessed;
    /** Seconds; -1 for never. */
    public final int idle;

    public final Changes changes;
    /** Proof that this session is nobody else's now; {@link #NO_LOCK} if that was not asked for. */
    public final long lock;

    public Opened(long version, long created, long accessed, int idle, Changes changes) {
        this(version, created, accessed, idle, changes, NO_LOCK);
    }

    Opened(long version, long created, long accessed, int idle, Changes changes, long lock) {
        this.version = version;
        this.created = created;
        this.accessed = accessed;
        this.idle = idle;
        this.changes = changes;
        this.lock = lock;
    }
}
