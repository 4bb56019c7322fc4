package dev.sojourn.operator.config;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/** What the operator may do in a namespace, as its Roles say. */
public record Permission(String verb, String group, String resource, String namespace) {

    /** @throws io.fabric8.kubernetes.client.KubernetesClientException if it cannot be found out */
    public boolean isGranted(KubernetesClient client) {
        var review = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withVerb(verb)
                .withGroup(group)
                .withResource(resource)
                .withNamespace(namespace)
                .endResourceAttributes()
                .endSpec()
                .build();
        return client.authorization()
                .v1()
                .selfSubjectAccessReview()
                .create(review)
                .getStatus()
                .getAllowed();
    }
}
