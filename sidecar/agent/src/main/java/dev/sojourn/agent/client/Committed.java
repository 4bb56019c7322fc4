package dev.sojourn.agent.client;

import java.util.List;

/** A commit's version, and what others changed since its base. */
public final class Committed {
    public final long version;
    public final List<Change> others;

    public Committed(long version, List<Change> others) {
        this.version = version;
        this.others = others;
    }
}
