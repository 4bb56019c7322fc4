package dev.sojourn.agent.session;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the application's code has written for one commit. It runs before the turn is kept: it may wait for a thread that waits for that. */
final class Drafts {
    private final Map<Attribute, Draft> byAttribute = new HashMap<>();
    /** A request is still at what it has set: what cannot be written now may be when it ends. */
    final boolean early;
    /** The turn is this thread's already, by code of the application's that runs here: nothing can be written ahead. */
    private final boolean nested;
    /** What was set since is for the next commit. */
    private final boolean last;

    private boolean missed;

    Drafts(boolean early, boolean nested, boolean last) {
        this.early = early;
        this.nested = nested;
        this.last = last;
    }

    void add(Picture of, Draft draft) {
        byAttribute.put(of.of, draft);
    }

    /** The one of this moment; null: it was set anew since, or only then. */
    @Nullable
    Draft of(Picture now) {
        Draft draft = byAttribute.get(now.of);
        return draft != null && (last || draft.isOf(now)) ? draft : null;
    }

    /** Whether one that there is none of is to be written now. */
    boolean mayWriteNow() {
        missed |= !nested;
        return nested && !early;
    }

    /** One was looked for that there is none of. */
    boolean areMissed() {
        return missed;
    }
}
