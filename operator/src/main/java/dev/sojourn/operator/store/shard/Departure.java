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
                        .allMatch(member -> targets.contains(member) && isCopied(member));
    }

    /** Its copies are in pods that stay; or those that go have none of it, and are not waited for. */
    private boolean isCopied(Member primary) {
        var kept =
                shape.stayingReplicas(primary).stream().filter(this::isInStep).count();
        return kept >= shape.copies()
                || view.members().stream()
                        .filter(member -> member.follows(primary))
                        .allMatch(shape::stays);
    }

    private boolean isInStep(Member replica) {
        var server = servers.get(replica.pod());
        return server != null && !server.primary() && server.inStep();
    }
}
