package dev.sojourn.agent.client;

import java.util.List;

/** A session as the store has it, relative to the version that was held. */
public final class Opened {
    public final long version;
    public final long created;
    public final long accessed;
    /** Seconds; -1 for never. */
    public final int idle;

    public final List<Change> changes;

    public Opened(long version, long created, long accessed, int idle, List<Change> changes) {
        this.version = version;
        this.created = created;
        this.accessed = accessed;
        this.idle = idle;
        this.changes = changes;
    }
}
