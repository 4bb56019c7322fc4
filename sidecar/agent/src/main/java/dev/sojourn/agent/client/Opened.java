package dev.sojourn.agent.client;

import org.jspecify.annotations.Nullable;

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
    /** Tells without asking whether a version is the newest; null: one has to ask. */
    public final @Nullable Ticket ticket;

    public Opened(long version, long created, long accessed, int idle, Changes changes) {
        this(version, created, accessed, idle, changes, NO_LOCK, null);
    }

    Opened(long version, long created, long accessed, int idle, Changes changes, long lock, @Nullable Ticket ticket) {
        this.version = version;
        this.created = created;
        this.accessed = accessed;
        this.idle = idle;
        this.changes = changes;
        this.lock = lock;
        this.ticket = ticket;
    }

    /** This answer, to who held nothing, for who does: it replaces what he holds. */
    public Opened whole() {
        return new Opened(version, created, accessed, idle, new Changes(true, changes.list), lock, ticket);
    }

    /** This answer, and what became of the session after it; null where the one does not follow the other. */
    @Nullable
    Opened and(Opened later) {
        Changes both = changes.and(later.changes);
        return both == null
                ? null
                : new Opened(later.version, created, later.accessed, later.idle, both, later.lock, later.ticket);
    }
}
