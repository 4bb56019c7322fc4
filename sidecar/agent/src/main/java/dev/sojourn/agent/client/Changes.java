package dev.sojourn.agent.client;

import java.util.List;

/** Attributes by name: what changed since the version that was held, or everything there is. */
public final class Changes {
    public final boolean whole;
    public final List<Change> list;

    public Changes(boolean whole, List<Change> list) {
        this.whole = whole;
        this.list = list;
    }
}
