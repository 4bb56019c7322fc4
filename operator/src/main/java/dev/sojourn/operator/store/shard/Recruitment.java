package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.shard.Step.Empty;
import dev.sojourn.operator.store.shard.Step.Free;
import dev.sojourn.operator.store.shard.Step.TakeOver;
import java.util.Comparator;
import java.util.List;

/** Makes primaries of replicas, where of those that stay fewer are primaries than there should be, and sees to it that they begin with nothing. Pure. */
final class Recruitment {

    private final ShardView view;
    private final ShardShape shape;

    Recruitment(ShardView view, ShardShape shape) {
        this.view = view;
        this.shape = shape;
    }

    /** A primary that is to leave, and has nobody who could take its slots but its own replica. */
    List<Step> takeOver() {
        return shape.targets().size() >= shape.primaries()
                ? List.of()
                : shape.leaving().stream()
                        .filter(member -> member.isPrimary() && member.slotCount() > 0)
                        .flatMap(member -> shape.stayingReplicas(member).stream()
                                .filter(view::isInStep)
                                .limit(1))
                        .<Step>map(TakeOver::new)
                        .toList();
    }

    /** Copies become fewer, or shards more: a replica that is one too many becomes a primary without slots. One, and then one looks again. */
    List<Step> free() {
        return isShort() && !isAnyBecoming()
                ? shape.staying().stream()
                        .filter(member -> member.isReplica() && isSpare(member))
                        .min(Comparator.comparingLong(shape::primariesBeside))
                        .map(member -> List.<Step>of(new Free(member)))
                        .orElse(List.of())
                : List.of();
    }

    /**
     * Restarted right after it was emptied, or its slots were moved away, it has what its log had not forgotten yet: where slots are moved, sessions
     * that have ended would be there again. Not before it is certain that nothing of that is of a move that was broken off.
     */
    List<Step> empty() {
        return isEverythingSeen()
                ? shape.staying().stream()
                        .filter(this::isToBeEmptied)
                        .<Step>map(Empty::new)
                        .toList()
                : List.of();
    }

    /** Every slot is served by somebody who answers, and of none is there anything elsewhere. */
    private boolean isEverythingSeen() {
        var present = view.present();
        return view.unserved().isEmpty()
                && view.members().stream()
                        .filter(member -> member.slotCount() > 0)
                        .allMatch(present::contains)
                && view.answering().stream()
                        .allMatch(member -> member.migrating().isEmpty());
    }

    /** A member that restarts marks what it has as on its way from whoever serves that. Any other mark is of a move: its source was replaced meanwhile. */
    private boolean isToBeEmptied(Member member) {
        var marks = view.importing(member);
        return view.isIdle(member)
                && (holdsSomething(member) || !marks.isEmpty())
                && marks.entrySet().stream().allMatch(mark -> isServedBy(mark.getValue(), mark.getKey()));
    }

    private boolean isServedBy(String id, int slot) {
        return view.byId(id).filter(source -> source.slots().get(slot)).isPresent();
    }

    /** A primary without slots that has keys. */
    boolean holdsSomething(Member member) {
        return view.isIdle(member)
                && view.server(member)
                                .filter(StoreNode::primary)
                                .map(StoreNode::keys)
                                .orElse(0L)
                        > 0;
    }

    /** Moved now, sessions would be more than those have room for who serve so far, or would be beside others that have ended. */
    boolean isAwaited() {
        return isShort() && shape.staying().size() > shape.targets().size() * (1 + shape.copies())
                || shape.targets().stream().anyMatch(this::isToBeEmptied);
    }

    /** A primary with slots that is away counts: it may come back with them. */
    private boolean isShort() {
        return view.members().stream()
                        .filter(member -> shape.stays(member) && member.isPrimary())
                        .filter(member ->
                                member.slotCount() > 0 || view.present().contains(member))
                        .count()
                < shape.primaries();
    }

    /** It is a primary, and not everybody has heard of that. */
    private boolean isAnyBecoming() {
        return shape.staying().stream().anyMatch(member -> member.isReplica() && view.isPrimaryByItsOwnWord(member));
    }

    private boolean isSpare(Member replica) {
        var followed = view.members().stream()
                .filter(primary -> replica.follows(primary)
                        && (primary.slotCount() > 0 || shape.targets().contains(primary)))
                .findFirst();
        return followed.isEmpty()
                || shape.targets().contains(followed.get())
                        && shape.hasCopiesBut(replica, followed.get(), shape.copies());
    }
}
