package dev.sojourn.agent.client;

/** A session's place on the page of claims. */
public final class Ticket {
    private final Line line;
    private final Page page;
    private final long number;

    Ticket(Line line, Page page, long number) {
        this.line = line;
        this.page = page;
        this.number = number;
    }

    /** True: that version is the newest there is, at this moment. False: one has to ask. */
    public boolean saysNewest(long version) {
        return !line.isBroken() && page.says(number, version);
    }
}
