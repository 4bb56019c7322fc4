package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.shard.Step.Elect;
import dev.sojourn.operator.store.shard.Step.Forget;
import dev.sojourn.operator.store.shard.Step.Promote;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Who takes the place of a primary that is lost, where its replicas do not see to that themselves. Pure. */
final class Succession {

    /**
     * Without its primary for so many seconds, or since it started, a replica does not stand for election any more: 10 times
     * cluster-node-timeout and a ping's 10 s, 43 in all. An election takes a few.
     */
    private static final long TOO_LONG_ALONE = 60;

    private final ShardView view;
    private final ShardShape shape;
    private final Map<String, StoreNode> servers;

    /** @param servers what those that answer say of themselves, by pod */
    Succession(ShardView view, ShardShape shape, Map<String, StoreNode> servers) {
        this.view = view;
        this.shape = shape;
        this.servers = servers;
    }

    /**
     * Replicas elect the next primary themselves, but not without most of the primaries: two that are lost at once leave none. Of the
     * replicas of one the furthest is it: it has what was confirmed.
     */
    List<Step> promote() {
        return canVote()
                ? elect()
                : view.members().stream()
                        .filter(member -> member.slotCount() > 0 && view.isReplaced(member))
                        .flatMap(member -> view.replicasOf(member).stream().max(byProgress()).stream())
                        .<Step>map(Promote::new)
                        .toList();
    }

    /** Nor do they if all of them have been alone for too long, as those that restarted while their primary was away: told to, they do. */
    private List<Step> elect() {
        return view.members().stream()
                .filter(member -> member.slotCount() > 0 && member.isGone() && !isComingBack(member))
                .flatMap(member -> overdueHeir(member).stream())
                .<Step>map(Elect::new)
                .toList();
    }

    /** While it loads its data it says how it is, and nothing to the others. */
    private boolean isComingBack(Member primary) {
        return servers.containsKey(primary.pod()) && !view.isReplaced(primary);
    }

    /** One that never had anything is no heir to somebody who may yet come back with all of it. */
    private Optional<Member> overdueHeir(Member primary) {
        var heirs = view.replicasOf(primary);
        return heirs.stream().allMatch(heir -> alone(heir) > TOO_LONG_ALONE)
                ? heirs.stream()
                        .filter(heir -> view.isReplaced(primary) || progress(heir) > 1 || keys(heir) > 0)
                        .max(byProgress())
                : Optional.empty();
    }

    /** One that was restarted begins to count anew, at 1: of several such the fullest. */
    private Comparator<Member> byProgress() {
        return Comparator.comparingLong(this::progress).thenComparingLong(this::keys);
    }

    private long progress(Member member) {
        return server(member).map(StoreNode::offset).orElse(0L);
    }

    private long keys(Member member) {
        return server(member).map(StoreNode::keys).orElse(0L);
    }

    private long alone(Member member) {
        return server(member).map(StoreNode::alone).orElse(0L);
    }

    private Optional<StoreNode> server(Member member) {
        return Optional.ofNullable(servers.get(member.pod()));
    }

    private boolean canVote() {
        var serving = view.members().stream()
                .filter(member -> member.isPrimary() && member.slotCount() > 0)
                .toList();
        var present = view.present();
        return serving.stream().filter(present::contains).count() * 2 > serving.size();
    }

    List<Step> forget() {
        return view.members().stream()
                .filter(member -> member.isGone() || (view.isReplaced(member) && !canVote()))
                .filter(this::isOverFor)
                .<Step>map(member -> new Forget(member.id()))
                .toList();
    }

    /** A pod that is away may come back with what it has; one that came back as somebody else, or has left, will not. */
    boolean isOverFor(Member member) {
        var cannotReturn = view.isReplaced(member) || !shape.stays(member);
        return cannotReturn && view.members().stream().noneMatch(replica -> isHeir(replica, member));
    }

    /** Whether it may take the place of a primary that is lost, even if it just does not answer us. */
    private boolean isHeir(Member replica, Member primary) {
        return replica.follows(primary)
                && !replica.isGone()
                && primary.slotCount() > 0
                && !view.present().contains(primary);
    }
}
