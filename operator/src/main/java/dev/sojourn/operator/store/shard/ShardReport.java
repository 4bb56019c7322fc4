package dev.sojourn.operator.store.shard;

import java.util.Optional;

/**
 * How a cluster is.
 *
 * @param unserved slots that no member serves, or one that is gone: sessions in them cannot be read or written
 * @param next what is done next, or nothing: it is as it should be
 * @param pods how many there should be
 * @param drained whether nobody needs those beyond that number: they hold no slots, and no copy that is not elsewhere too
 * @param trouble what the last step failed with
 */
public record ShardReport(int unserved, Optional<String> next, int pods, boolean drained, Optional<String> trouble) {}
