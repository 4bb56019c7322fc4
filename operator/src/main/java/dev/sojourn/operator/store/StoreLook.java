package dev.sojourn.operator.store;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the servers of a managed store said when they were asked.
 *
 * @param nodes of those that answered, each on itself, in the order of their pods
 * @param views of a cluster: whom each of those sees ({@code CLUSTER NODES})
 * @param dropping the pods whose servers have dropped keys for want of memory within {@link DroppedKeys#LATELY}
 * @param placement of a cluster: the Kubernetes node of each pod that has one
 */
public record StoreLook(
        List<StoreNode> nodes, Set<String> dropping, List<String> views, Map<String, String> placement) {

    public static final StoreLook NONE = new StoreLook(List.of(), Set.of(), List.of(), Map.of());

    public StoreLook {
        nodes = List.copyOf(nodes);
        dropping = Set.copyOf(dropping);
        views = List.copyOf(views);
        placement = Map.copyOf(placement);
    }
}
