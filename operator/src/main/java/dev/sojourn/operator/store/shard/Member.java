package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.Address;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One line of {@code CLUSTER NODES}: a member as another one, or it itself, sees it.
 *
 * @param id its name in the cluster, 40 hexadecimal digits
 * @param pod the pod that it runs in, or an empty text where it has not told its host name yet
 * @param primaryId whom it follows, if it is a replica
 * @param slots those that it serves
 * @param migrating of the member that was asked: slots that are on their way, and to which id
 * @param importing of the member that was asked: slots that are on their way to it
 * @see <a href="https://valkey.io/commands/cluster-nodes/">CLUSTER NODES</a>
 */
record Member(
        String id,
        String pod,
        Address address,
        Set<String> flags,
        @Nullable String primaryId,
        boolean connected,
        BitSet slots,
        Map<Integer, String> migrating,
        BitSet importing) {

    static final int SLOTS = 16_384;

    /** A set of slots for each: an answer of short lines would fill the memory. */
    private static final int MOST = 1_000;

    private static final String BARRED = "nofailover";

    /** @param nodes the answer to {@code CLUSTER NODES} */
    static List<Member> parse(String nodes) {
        var lines = nodes.lines().filter(line -> !line.isBlank()).toList();
        if (lines.size() > MOST) {
            throw new IllegalArgumentException(
                    lines.size() + " members in CLUSTER NODES: no cluster that we made has more than " + MOST);
        }
        return lines.stream().map(Member::line).toList();
    }

    /** {@code <id> <ip:port@cport[,hostname]> <flags> <primary> <ping> <pong> <epoch> <link> <slot>...}. */
    private static Member line(String line) {
        var words = line.trim().split(" ");
        var place = words[1].split(",");
        var slots = new BitSet(SLOTS);
        var migrating = new HashMap<Integer, String>();
        var importing = new BitSet(SLOTS);
        for (var i = 8; i < words.length; i++) {
            slots(words[i], slots, migrating, importing);
        }
        return new Member(
                words[0],
                place.length > 1 ? place[1].split("\\.", 2)[0] : "",
                Address.ofServer(place[0].substring(0, place[0].indexOf('@'))),
                Set.of(words[2].split(",")),
                "-".equals(words[3]) ? null : words[3],
                "connected".equals(words[7]),
                slots,
                migrating,
                importing);
    }

    /** {@code 7}, {@code 0-5460}, {@code [93->-<id>]} on its way to, {@code [93-<-<id>]} on its way from. */
    private static void slots(String word, BitSet slots, Map<Integer, String> migrating, BitSet importing) {
        if (word.startsWith("[")) {
            var arrow = word.indexOf("->-");
            if (arrow > 0) {
                migrating.put(slot(word.substring(1, arrow)), word.substring(arrow + 3, word.length() - 1));
            } else {
                importing.set(slot(word.substring(1, word.indexOf("-<-"))));
            }
            return;
        }
        var range = word.split("-");
        slots.set(slot(range[0]), slot(range[range.length - 1]) + 1);
    }

    /** A set of slots takes the memory that its highest one asks for, and an image of somebody's own may name any. */
    private static int slot(String digits) {
        var slot = Integer.parseInt(digits);
        if (slot < 0 || slot >= SLOTS) {
            throw new IllegalArgumentException("slot " + digits + " in CLUSTER NODES: a cluster has " + SLOTS);
        }
        return slot;
    }

    boolean isMyself() {
        return flags.contains("myself");
    }

    boolean isPrimary() {
        return flags.contains("master");
    }

    boolean isReplica() {
        return primaryId != null;
    }

    boolean follows(Member primary) {
        return primary.id.equals(primaryId);
    }

    /** Agreed by the majority to be gone. {@code fail?} is one member's suspicion. */
    boolean isGone() {
        return flags.contains("fail") || flags.contains("noaddr");
    }

    /** Takes part: has shaken hands, and answers. */
    boolean isPresent() {
        return !isGone() && !flags.contains("fail?") && !flags.contains("handshake") && !pod.isEmpty();
    }

    /** May not be elected: it was led to its primary, and has not copied from it yet. */
    boolean isBarred() {
        return flags.contains(BARRED);
    }

    /** By its own word, which the others hear later: whom it follows, and whether it may be elected. Whether they reach it, and where, is theirs to say. */
    Member saying(Member own) {
        if (!isReplica() || !own.isReplica()) {
            return this;
        }
        var told = new HashSet<>(flags);
        told.remove(BARRED);
        if (own.isBarred()) {
            told.add(BARRED);
        }
        return new Member(id, pod, address, told, own.primaryId, connected, slots, migrating, importing);
    }

    /** With those of these slots that nobody served so far. */
    Member alsoServing(BitSet more, BitSet unserved) {
        var all = (BitSet) more.clone();
        all.and(unserved);
        all.or(slots);
        return new Member(id, pod, address, flags, primaryId, connected, all, migrating, importing);
    }

    int slotCount() {
        return slots.cardinality();
    }
}
