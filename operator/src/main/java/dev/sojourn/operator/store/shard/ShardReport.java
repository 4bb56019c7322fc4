package dev.sojourn.operator.store.shard;

import java.util.Optional;

/**
 * How a cluster is.
 *
 * @param unserved slots that no member serves, or one that is gone: sessions in them cannot be read or written
 * @param next what is done next, or nothing: it is as it should be
 * @param pods how many there should be
 * @param kept how many have to be there yet: those beyond hold no slots, and no copy that those before do not hold too
 * @param trouble what the last step failed with
 */
public record ShardReport(int unserved, Optional<String> next, int pods, int kept, Optional<String> trouble) {

    /** Whether nobody needs those any more that are to go. */
    public boolean drained() {
        return kept <= pods;
    }
}
