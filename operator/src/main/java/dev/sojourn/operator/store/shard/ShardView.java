package dev.sojourn.operator.store.shard;

import static java.util.stream.Collectors.toMap;

import dev.sojourn.operator.store.StoreNode;
import java.util.BitSet;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cluster, as those of its members see it that answer. */
final class ShardView {

    private final List<Member> members;
    private final Map<String, Member> answering;
    private final Map<String, StoreNode> servers;

    /**
     * @param views {@code CLUSTER NODES} of each member that answers
     * @param servers what those that answer say of themselves, by pod
     */
    ShardView(Collection<List<Member>> views, Map<String, StoreNode> servers) {
        this.servers = servers;
        // The one who knows most: the others have met fewer, or lag behind.
        var known = views.stream()
                .max(Comparator.comparingLong(ShardView::knowledge))
                .orElse(List.of());
        // Each one's word on itself: who it is, and which of its slots are on their way.
        answering = views.stream()
                .flatMap(view -> view.stream().filter(Member::isMyself))
                .collect(toMap(Member::pod, member -> member, (first, second) -> first));
        members = withNews(known);
    }

    /** What a member was just given, or told, it knows before the others do: slots would be given away once more. */
    private List<Member> withNews(List<Member> known) {
        var unserved = unserved(known);
        return known.stream()
                .map(member -> itself(member)
                        .map(own -> member.saying(own).alsoServing(own.slots(), unserved))
                        .orElse(member))
                .toList();
    }

    private static long knowledge(List<Member> view) {
        var present = view.stream().filter(Member::isPresent).count();
        var slots = view.stream().mapToLong(Member::slotCount).sum();
        return present * (Member.SLOTS + 1) + slots;
    }

    List<Member> members() {
        return members;
    }

    List<Member> present() {
        return members.stream()
                .filter(member -> member.isPresent() && isAnswering(member))
                .sorted(Comparator.comparingInt(ShardView::ordinal))
                .toList();
    }

    private boolean isAnswering(Member member) {
        return itself(member).isPresent();
    }

    private Optional<Member> itself(Member member) {
        return Optional.ofNullable(answering.get(member.pod()))
                .filter(answer -> answer.id().equals(member.id()));
    }

    boolean isPrimaryByItsOwnWord(Member member) {
        return itself(member).filter(Member::isPrimary).isPresent();
    }

    /** Whether the pod runs, but as somebody else: what that member held is gone. */
    boolean isReplaced(Member member) {
        var answer = answering.get(member.pod());
        return answer != null && !answer.id().equals(member.id());
    }

    Collection<Member> answering() {
        return answering.values();
    }

    Optional<Member> byId(String id) {
        return members.stream().filter(member -> member.id().equals(id)).findFirst();
    }

    /** Whether some of what is in this slot of its is elsewhere already. */
    boolean isUnderWay(Member from, int slot) {
        return itself(from).filter(own -> own.migrating().containsKey(slot)).isPresent();
    }

    List<Member> replicasOf(Member primary) {
        return present().stream().filter(member -> member.follows(primary)).toList();
    }

    /** Whether it has what its primary has. */
    boolean isInStep(Member replica) {
        return server(replica)
                .filter(server -> !server.primary() && server.inStep())
                .isPresent();
    }

    Optional<StoreNode> server(Member member) {
        return Optional.ofNullable(servers.get(member.pod()));
    }

    BitSet unserved() {
        return unserved(members);
    }

    /** Those of members that are gone, and not replaced yet, too: they are theirs, but nobody answers for them. */
    BitSet unreachable() {
        return unserved(members.stream().filter(member -> !member.isGone()).toList());
    }

    private static BitSet unserved(List<Member> members) {
        var slots = new BitSet(Member.SLOTS);
        slots.set(0, Member.SLOTS);
        members.forEach(member -> slots.andNot(member.slots()));
        return slots;
    }

    /** {@code shop-store-4} is 4. */
    static int ordinal(Member member) {
        var dash = member.pod().lastIndexOf('-');
        try {
            return Integer.parseInt(member.pod().substring(dash + 1));
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE;
        }
    }
}
