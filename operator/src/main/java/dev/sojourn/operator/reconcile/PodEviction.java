package dev.sojourn.operator.reconcile;

import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.EvictionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.RequestConfig;
import io.fabric8.kubernetes.client.RequestConfigBuilder;

/** Asks for a pod's eviction, which disruption budgets may forbid (429). */
final class PodEviction {

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;

    private PodEviction() {}

    /** @return whether it was granted; not while a budget forbids it, nor if the pod has gone meanwhile */
    static boolean ask(KubernetesClient client, String namespace, String name, String uid) {
        // A StatefulSet's next pod has the same name: without its uid it would be evicted in place of one that has
        // gone.
        var eviction = new EvictionBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .withDeleteOptions(new DeleteOptionsBuilder()
                        .withNewPreconditions()
                        .withUid(uid)
                        .endPreconditions()
                        .build())
                .build();
        try {
            return client.adapt(NamespacedKubernetesClient.class)
                    .withRequestConfig(onlyOnce(client))
                    .call(once ->
                            once.pods().inNamespace(namespace).withName(name).evict(eviction));
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND || e.getCode() == CONFLICT) {
                return false;
            }
            throw e;
        }
    }

    /** The client would take 429 for an overload, and ask ten times more while the reconciler waits. */
    private static RequestConfig onlyOnce(KubernetesClient client) {
        return new RequestConfigBuilder(client.getConfiguration().getRequestConfig())
                .withRequestRetryBackoffLimit(0)
                .build();
    }
}
