package dev.sojourn.operator.store.shard;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Who of a cluster stays, who shall serve, and who is where. Pure. */
final class ShardShape {

    private final ShardView view;
    private final Map<String, String> nodes;
    private final int primaries;
    private final int copies;

    /**
     * @param nodes the Kubernetes node of each pod that is known
     * @param primaries how many there should be
     * @param copies how many replicas each should have
     */
    ShardShape(ShardView view, Map<String, String> nodes, int primaries, int copies) {
        this.view = view;
        this.nodes = nodes;
        this.primaries = primaries;
        this.copies = copies;
    }

    int primaries() {
        return primaries;
    }

    int copies() {
        return copies;
    }

    boolean isComplete() {
        return staying().size() >= pods();
    }

    /** Who serves, or shall: those that have the most slots, and then members without any, on as many nodes as there are. */
    List<Member> targets() {
        var chosen = new ArrayList<>(staying().stream()
                .filter(member -> member.isPrimary() && member.slotCount() > 0)
                .sorted(Comparator.comparingInt(Member::slotCount).reversed())
                .limit(primaries)
                .toList());
        while (chosen.size() < primaries) {
            var next = staying().stream()
                    .filter(member -> member.isPrimary() && member.slotCount() == 0 && !chosen.contains(member))
                    .min(Comparator.comparingLong(member -> chosen.stream()
                            .filter(other -> sameNode(member, other))
                            .count()));
            if (next.isEmpty()) {
                break;
            }
            chosen.add(next.get());
        }
        return chosen;
    }

    List<Member> stayingReplicas(Member primary) {
        return view.replicasOf(primary).stream().filter(this::stays).toList();
    }

    /** Whether, without this replica of its, a primary has so many that stay, and have what it has. */
    boolean hasCopiesBut(Member replica, Member primary, int number) {
        return stayingReplicas(primary).stream()
                        .filter(other -> !other.equals(replica) && view.isInStep(other))
                        .count()
                >= number;
    }

    /** How many of those that serve, or shall, are on this member's node. */
    long primariesBeside(Member member) {
        return targets().stream().filter(other -> sameNode(other, member)).count();
    }

    boolean sameNode(Member one, Member other) {
        var node = nodes.get(one.pod());
        return node != null && node.equals(nodes.get(other.pod()));
    }

    List<Member> staying() {
        return view.present().stream().filter(this::stays).toList();
    }

    List<Member> leaving() {
        return view.present().stream().filter(member -> !stays(member)).toList();
    }

    boolean stays(Member member) {
        return ShardView.ordinal(member) < pods();
    }

    int pods() {
        return primaries * (1 + copies);
    }
}
