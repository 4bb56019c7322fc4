package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.StoreNode;
import java.util.Map;

/** Whether the pods that are to go may: nobody needs what is in them. Pure. */
final class Departure {

    private final ShardView view;
    private final ShardShape shape;
    private final Map<String, StoreNode> servers;

    /** @param servers what those that answer say of themselves, by pod */
    Departure(ShardView view, ShardShape shape, Map<String, StoreNode> servers) {
        this.view = view;
        this.shape = shape;
        this.servers = servers;
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
                shape.stayingReplicas(primary).stream().filter(this::isInStep).count();
        return kept >= shape.copies();
    }

    private boolean isInStep(Member replica) {
        var server = servers.get(replica.pod());
        return server != null && !server.primary() && server.inStep();
    }
}
