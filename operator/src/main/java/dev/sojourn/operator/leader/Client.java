package dev.sojourn.operator.leader;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Quarkus' own client, whose renewals of the lease are seen: the framework has none of its own for them. */
final class Client {

    @Produces
    @Singleton
    KubernetesClient client(Config config, KubernetesSerialization serialization, RenewDeadline deadline) {
        return seenBy(
                deadline, new KubernetesClientBuilder().withConfig(config).withKubernetesSerialization(serialization));
    }

    static KubernetesClient seenBy(RenewDeadline deadline, KubernetesClientBuilder client) {
        return client.withHttpClientBuilderConsumer(http -> http.addOrReplaceInterceptor("renew-deadline", deadline))
                .build();
    }

    void close(@Disposes KubernetesClient client) {
        client.close();
    }
}
