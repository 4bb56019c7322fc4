package dev.sojourn.operator.inject;

import dev.sojourn.operator.config.OperatorConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where pods can be that API servers ask about. Whoever else reaches the webhook's port may name as many namespaces as they like: what is
 * counted and told of each would have no end.
 */
@ApplicationScoped
public class Namespaces {

    private final KubernetesClient client;
    private final OperatorConfig config;
    private final SessionClusters clusters;

    /** There, with a SessionCluster or without: no more than have existed. */
    private final Set<String> found = ConcurrentHashMap.newKeySet();

    public Namespaces(KubernetesClient client, OperatorConfig config, SessionClusters clusters) {
        this.client = client;
        this.config = config;
        this.clusters = clusters;
    }

    /** Empty: only the API server can say. */
    Optional<Boolean> have(String namespace) {
        if (!config.injectsIn(namespace)) {
            return Optional.of(false);
        }
        return config.namedNamespaces()
                .map(named -> named.contains(namespace))
                .or(() -> Optional.of(true).filter(there -> found.contains(namespace) || clusters.areIn(namespace)));
    }

    /** From the API server. */
    boolean ask(String namespace) {
        var there = client.adapt(NamespacedKubernetesClient.class)
                .withRequestConfig(SessionClusters.SHORT)
                .call(once -> once.namespaces().withName(namespace).get());
        if (there != null) {
            found.add(namespace);
        }
        return there != null;
    }
}
