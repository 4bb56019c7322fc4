package dev.sojourn.agent.client;

/** A commit's version, and what others changed since its base. */
public final class Committed {
    public final long version;
    public final Changes others;

    public Committed(long version, Changes others) {
        this.version = version;
        this.others = others;
    }
}
