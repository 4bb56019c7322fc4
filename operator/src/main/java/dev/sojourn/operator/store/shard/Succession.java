package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.shard.Step.Forget;
import dev.sojourn.operator.store.shard.Step.Promote;
import java.util.Comparator;
import java.util.List;

/** Who takes the place of a primary that is lost, where its replicas do not see to that themselves. Pure. */
final class Succession {

    /** In seconds. A server that was without its primary for ten times {@code cluster-node-timeout}, and some, does not stand any more. */
    private static final long TOO_LONG_ALONE = 60;

    private final ShardView view;
    private final ShardShape shape;

    Succession(ShardView view, ShardShape shape) {
        this.view = view;
        this.shape = shape;
    }

    /**
     * Replicas elect the next primary themselves, but not without most of the primaries: two that are lost at once leave none. Of the
     * replicas of one the furthest is it: it has what was confirmed.
     */
    List<Step> promote() {
        return view.members().stream()
                .filter(member -> member.slotCount() > 0 && view.isReplaced(member))
                .filter(member -> !canVote() || nobodyStandsFor(member))
                .flatMap(member -> view.replicasOf(member).stream().max(byProgress()).stream())
                .<Step>map(Promote::new)
                .toList();
    }

    /**
     * None has copied yet what is lost now, or has had its primary since it was restarted, or lately: somebody has to serve the slots all the same.
     * One that is away may have copied.
     */
    private boolean nobodyStandsFor(Member primary) {
        return view.members().stream()
                .filter(replica -> replica.follows(primary) && !view.isReplaced(replica))
                .noneMatch(this::stands);
    }

    private boolean stands(Member replica) {
        return !replica.isBarred() && view.server(replica).map(StoreNode::alone).orElse(0L) < TOO_LONG_ALONE;
    }

    /** One that was led there counts in another shard's stream yet. One that was restarted counts anew, from 1: of several such the fullest. */
    private Comparator<Member> byProgress() {
        return Comparator.comparing((Member member) -> !member.isBarred())
                .thenComparingLong(this::progress)
                .thenComparingLong(this::keys);
    }

    private long progress(Member member) {
        return view.server(member).map(StoreNode::offset).orElse(0L);
    }

    private long keys(Member member) {
        return view.server(member).map(StoreNode::keys).orElse(0L);
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
                .filter(member -> isOverFor(member) && !isFollowed(member))
                .<Step>map(member -> new Forget(member.id()))
                .toList();
    }

    /** "Can't forget my master!": its replicas are led to somebody else first. */
    private boolean isFollowed(Member member) {
        return view.present().stream().anyMatch(replica -> replica.follows(member));
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
