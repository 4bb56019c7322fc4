package dev.sojourn.operator.inject;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Every SessionCluster, in memory, on every replica: the webhook asks nobody while a pod waits, but where its memory lags behind. */
@ApplicationScoped
public class SessionClusters {

    /** For a connection, and for an answer once more: who asks bounds both. */
    static final RequestConfig SHORT = new RequestConfigBuilder()
            .withRequestTimeout(2_000)
            .withRequestRetryBackoffLimit(0)
            .build();

    private final KubernetesClient client;
    private final Optional<List<String>> namespaces;
    private List<SharedIndexInformer<SessionCluster>> informers = List.of();

    public SessionClusters(KubernetesClient client, OperatorConfig config) {
        this.client = client;
        this.namespaces = config.watchNamespaces();
    }

    void start(@Observes StartupEvent event) {
        var clusters = client.resources(SessionCluster.class);
        informers = namespaces.isEmpty()
                ? List.of(clusters.inAnyNamespace().runnableInformer(0))
                : namespaces.get().stream()
                        .map(namespace -> clusters.inNamespace(namespace).runnableInformer(0))
                        .toList();
        // Not waited for: readiness says when they have synced, and an API server that is away must not stop the start.
        informers.forEach(informer ->
                informer.exceptionHandler((isStarted, error) -> true).start());
    }

    void stop(@Observes ShutdownEvent event) {
        informers.forEach(SharedIndexInformer::stop);
    }

    public boolean haveSynced() {
        return !informers.isEmpty() && informers.stream().allMatch(SharedIndexInformer::hasSynced);
    }

    /** From memory, which may be of a moment ago, or of minutes where the watch was broken off. */
    Optional<SessionCluster> find(String namespace, String name) {
        return informers.stream()
                .map(informer -> informer.getIndexer().getByKey(Cache.namespaceKeyFunc(namespace, name)))
                .filter(Objects::nonNull)
                .findFirst();
    }

    boolean areIn(String namespace) {
        return informers.stream()
                .anyMatch(informer -> !informer.getIndexer()
                        .byIndex(Cache.NAMESPACE_INDEX, namespace)
                        .isEmpty());
    }

    /** From the API server. */
    Optional<SessionCluster> ask(String namespace, String name) {
        if (!Dns1123.isSubdomain(name)) {
            // Of a label that nobody has looked at yet: as a part of the URL it could ask for something else.
            return Optional.empty();
        }
        return Optional.ofNullable(client.adapt(NamespacedKubernetesClient.class)
                .withRequestConfig(SHORT)
                .call(once -> once.resources(SessionCluster.class)
                        .inNamespace(namespace)
                        .withName(name)
                        .get()));
    }
}
