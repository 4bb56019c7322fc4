package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.owner.ApiServer;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TemplatePatcherTest {

    private final SessionCluster owner = Serialization.unmarshal("""
            metadata: {name: web, namespace: shop}
            spec: {workload: {name: web}, port: 8080}
            """, SessionCluster.class);

    @Test
    void aWorkloadThatMayNotBeTouchedAnyMoreIsLeft() throws Exception {
        try (var api = forbidding(false)) {
            var templates = new TemplatePatcher(api.client());
            templates.release(owner, labelled());
            assertThat(api.asked).isNotEmpty();
            assertThatThrownBy(() -> templates.inject(owner, labelled(), "other"))
                    .as("while it is served, that is an error")
                    .isInstanceOf(KubernetesClientException.class);
        }
    }

    @Test
    void whatAPolicyForbidsTheOperatorIsAnError() throws Exception {
        try (var api = forbidding(true)) {
            assertThatThrownBy(() -> new TemplatePatcher(api.client()).release(owner, labelled()))
                    .as("with the SessionCluster its store would go, which the pods still use")
                    .isInstanceOf(KubernetesClientException.class);
        }
    }

    private static ApiServer forbidding(boolean allowedByRoles) throws IOException {
        return new ApiServer(
                name -> name.equals("selfsubjectaccessreviews") ? 201 : 403,
                Map.of(
                        "selfsubjectaccessreviews",
                        "{\"kind\": \"SelfSubjectAccessReview\", \"apiVersion\": \"authorization.k8s.io/v1\", \"status\": {\"allowed\": "
                                + allowedByRoles + "}}"));
    }

    private static Workload labelled() {
        return Seen.workload("""
                {metadata: {labels: {sojourn.dev/cluster: web}, annotations: {sojourn.dev/config: hash}},
                 spec: {containers: [{name: app}]}}""");
    }
}
