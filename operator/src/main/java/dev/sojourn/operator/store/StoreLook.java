package dev.sojourn.operator.store;

import java.util.List;
import java.util.Map;

/**
 * What the servers of a managed store said when they were asked.
 *
 * @param nodes of those that answered, each on itself, in the order of their pods
 * @param views of a cluster: whom each of those sees ({@code CLUSTER NODES})
 * @param placement of a cluster: the Kubernetes node of each pod that has one
 */
public record StoreLook(List<StoreNode> nodes, List<String> views, Map<String, String> placement) {

    public static final StoreLook NONE = new StoreLook(List.of(), List.of(), Map.of());

    public StoreLook {
        nodes = List.copyOf(nodes);
        views = List.copyOf(views);
        placement = Map.copyOf(placement);
    }
}
