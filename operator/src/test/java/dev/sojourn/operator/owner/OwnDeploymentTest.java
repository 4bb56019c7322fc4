package dev.sojourn.operator.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.config.OperatorConfig;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OwnDeploymentTest {

    private static final Map<String, String> OBJECTS =
            Map.of("sojourn", """
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "sojourn", "uid": "u-1"}}""", "sojourn-operator", """
            {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "sojourn-operator"},
             "spec": {"holderIdentity": "sojourn-7d9f"}}""", "sojourn-webhook-cert", """
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "sojourn-webhook-cert"}}""");

    @Test
    void itIsTheOwnerByNameAndUid() throws IOException {
        try (var api = new ApiServer(200, OBJECTS)) {
            // Nothing else: to block its end, or to be its controller, would take more rights.
            assertThat(own(api, "sojourn").reference())
                    .contains(new OwnerReferenceBuilder()
                            .withApiVersion("apps/v1")
                            .withKind("Deployment")
                            .withName("sojourn")
                            .withUid("u-1")
                            .build());
            assertThat(api.asked)
                    .extracting(ApiServer.Asked::what)
                    .containsExactly("GET /apis/apps/v1/namespaces/system/deployments/sojourn");
        }
    }

    @Test
    void theLeaseIsGivenTheOwnerAndNothingElse() throws IOException {
        try (var api = new ApiServer(200, OBJECTS)) {
            own(api, "sojourn").adopt("the lease", lease(api));
            assertAdopted(api, "/apis/coordination.k8s.io/v1/namespaces/system/leases/sojourn-operator");
        }
    }

    @Test
    void aSecretOfAnOperatorOfBeforeIsGivenTheOwnerAndNothingElse() throws IOException {
        try (var api = new ApiServer(200, OBJECTS)) {
            own(api, "sojourn")
                    .adopt(
                            "the Secret",
                            api.client().secrets().inNamespace("system").withName("sojourn-webhook-cert"));
            assertAdopted(api, "/api/v1/namespaces/system/secrets/sojourn-webhook-cert");
        }
    }

    private static void assertAdopted(ApiServer api, String path) {
        var last = api.asked.get(api.asked.size() - 1);
        assertThat(last.what()).isEqualTo("PATCH " + path);
        assertThat(last.contentType()).startsWith("application/merge-patch+json");
        assertThat(last.body())
                .isEqualTo("{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
                        + "\"kind\":\"Deployment\",\"name\":\"sojourn\",\"uid\":\"u-1\"}]}}");
    }

    private static Resource<?> lease(ApiServer api) {
        return api.client().leases().inNamespace("system").withName("sojourn-operator");
    }

    @Test
    void whereThereIsNoneNothingIsAskedOrAdopted() throws IOException {
        try (var api = new ApiServer(200, OBJECTS)) {
            var own = new OwnDeployment(api.client(), config(Map.of()));
            own.adopt("the lease", lease(api));
            assertThat(own.reference()).isEmpty();
            assertThat(api.asked).isEmpty();
        }
    }

    /** The chart of before: the certificate is made, and the lease held, nevertheless. */
    @Test
    void withoutTheRightToLookNothingIsOwned() throws IOException {
        try (var api = new ApiServer(403, Map.of())) {
            assertThat(own(api, "sojourn").reference()).isEmpty();
        }
    }

    /** What is made now without an owner would have none for good: it is made later. */
    @Test
    void anApiServerThatFailsIsAskedAgain() throws IOException {
        try (var api = new ApiServer(409, Map.of())) {
            var own = own(api, "sojourn");
            assertThatThrownBy(own::reference).isInstanceOf(KubernetesClientException.class);
            own.adopt("the lease", lease(api));
        }
    }

    @Test
    void whileItIsBeingUninstalledNothingIsMade() throws IOException {
        try (var api = new ApiServer(404, Map.of())) {
            assertThatThrownBy(own(api, "sojourn")::reference)
                    .hasMessage(
                            "SOJOURN_DEPLOYMENT: there is no Deployment sojourn in namespace system; name the one that"
                                    + " the operator runs in, unless it is being uninstalled");
        }
    }

    private static OwnDeployment own(ApiServer api, String deployment) {
        return new OwnDeployment(api.client(), config(Map.of("sojourn.deployment", deployment)));
    }

    private static OperatorConfig config(Map<String, String> settings) {
        return new SmallRyeConfigBuilder()
                .withMapping(OperatorConfig.class)
                .withDefaultValue("sojourn.namespace", "system")
                .withDefaultValues(settings)
                .build()
                .getConfigMapping(OperatorConfig.class);
    }
}
