package dev.sojourn.agent.client;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A session's place on the page of claims, and what the sidecar has told of it that nobody has come for yet. */
public final class Ticket {
    /** Past it whoever comes asks for all of it at once. */
    private static final int MOST = 16;

    final long number;
    /** Empty once the line has broken that it came by. Not the line, nor its page: a session may be held for hours. */
    private final AtomicReference<@Nullable Page> page;
    /** In their order. Guarded by itself. */
    private final ArrayDeque<News> told = new ArrayDeque<>();

    Ticket(AtomicReference<@Nullable Page> page, long number) {
        this.page = page;
        this.number = number;
    }

    /** True: that version is the newest there is, at this moment. False: one has to ask. */
    public boolean saysNewest(long version) {
        Page at = page.get();
        return at != null && at.says(number, version);
    }

    /** All that became of that version, as far as it was told; null if nothing was. What became of versions before it is not wanted any more. */
    public @Nullable Opened after(long version) {
        Opened all = null;
        synchronized (told) {
            while (!told.isEmpty() && told.getFirst().before < version) {
                told.removeFirst();
            }
            long at = version;
            while (!told.isEmpty() && told.getFirst().before == at) {
                Opened next = told.getFirst().opened;
                Opened both = all == null ? next : all.and(next);
                if (both == null) {
                    break;
                }
                told.removeFirst();
                all = both;
                at = next.version;
            }
        }
        return all;
    }

    void tell(News news) {
        synchronized (told) {
            if (told.size() == MOST) {
                told.clear();
            }
            told.add(news);
        }
    }
}
