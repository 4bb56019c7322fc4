package dev.sojourn.operator.store.shard;

/** Whether the pods that are to go may: nobody needs what is in them. Pure. */
final class Departure {

    private final ShardView view;
    private final ShardShape shape;

    Departure(ShardView view, ShardShape shape) {
        this.view = view;
        this.shape = shape;
    }

    /** Who sees not all slots knows nothing of those that may be in a pod that is to go. */
    boolean isReady() {
        var targets = shape.targets();
        return view.unserved().isEmpty()
                && view.members().stream()
                        .filter(member -> member.slotCount() > 0)
                        .allMatch(member -> hasNothingToLose(member) || targets.contains(member) && isCopied(member));
    }

    /** It stays, and nobody who goes has a copy: they are not waited for, though it be away, perhaps for want of their room. */
    private boolean hasNothingToLose(Member primary) {
        return shape.stays(primary)
                && view.members().stream()
                        .filter(member -> member.follows(primary))
                        .allMatch(shape::stays);
    }

    /** Its copies are in pods that stay. */
    private boolean isCopied(Member primary) {
        var kept =
                shape.stayingReplicas(primary).stream().filter(view::isInStep).count();
        return kept >= shape.copies();
    }
}
