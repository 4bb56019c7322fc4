package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.shard.Step.Free;
import dev.sojourn.operator.store.shard.Step.TakeOver;
import java.util.Comparator;
import java.util.List;

/** Makes primaries of replicas, where of those that stay fewer are primaries than there should be. Pure. */
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

    /** Moved now, sessions would be more than those have room for who serve so far. */
    boolean isAwaited() {
        return isShort() && shape.staying().size() > shape.targets().size() * (1 + shape.copies());
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
