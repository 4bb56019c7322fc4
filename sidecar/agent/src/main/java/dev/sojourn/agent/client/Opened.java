package dev.sojourn.agent.client;

/** A session as the store has it, relative to the version that was held. */
public final class Opened {
    public final long version;
    public final long created;
    public final long accessed;
    /** Seconds; -1 for never. */
    public final int idle;

    public final Changes changes;

    public Opened(long version, long created, long accessed, int idle, Changes changes) {
        this.version = version;
        this.created = created;
        this.accessed = accessed;
        this.idle = idle;
        this.changes = changes;
    }
}
