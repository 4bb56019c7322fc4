package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class WorkloadStoreTest {

    private static final String METADATA = """
            metadata:
              name: web
              namespace: shop
              uid: u
              resourceVersion: "5"
              generation: 3
              labels: {app: web}
              annotations: {kubectl.kubernetes.io/last-applied-configuration: the whole of it once more}
              managedFields: [{manager: kubectl, operation: Update, fieldsV1: {"f:spec": {}}}]
            """;

    private static final String TEMPLATE = """
              replicas: 3
              template:
                metadata:
                  labels: {app: web, sojourn.dev/cluster: web}
                  annotations: {sojourn.dev/config: abc, sojourn.dev/injected: abc}
                spec:
                  hostNetwork: true
                  os: {name: windows}
                  nodeSelector: {kubernetes.io/os: windows}
                  initContainers: [{name: first, image: first}]
                  containers:
                  - name: app
                    image: app
                    ports: [{containerPort: 8080, name: http}]
                    env: [{name: A, value: a}]
                  volumes: [{name: config, configMap: {name: config}}]
            """;

    private static final String DEPLOYMENT = METADATA + """
            kind: Deployment
            spec:
              paused: true
            """ + TEMPLATE + """
            status:
              observedGeneration: 3
              conditions: [{type: ReplicaFailure, status: "True", message: exceeded quota}]
            """;

    private static final String STATEFUL_SET = METADATA + """
            kind: StatefulSet
            spec:
              updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}
              volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce]}}]
            """ + TEMPLATE;

    @Test
    void ofADeploymentThereIsWhatIsReadAndNoMore() {
        var whole = Serialization.unmarshal(DEPLOYMENT, Deployment.class);
        var store = WorkloadStore.deployments();
        store.put("shop/web", whole);
        var kept = store.get("shop/web");
        assertThat(Workload.of(kept)).isEqualTo(Workload.of(whole));
        assertThat(Workload.of(kept).held()).isPresent();
        assertThat(Workload.of(kept).podsRefused()).hasValue("exceeded quota");
        assertThat(Serialization.asYaml(kept))
                .contains("uid:", "resourceVersion:", "generation:")
                .doesNotContain("managedFields", "the whole of it once more", "env:", "image:", "configMap:");
        // It goes on to whoever is told of the change.
        assertThat(whole.getMetadata().getManagedFields()).isNotEmpty();
    }

    @Test
    void ofAStatefulSetThereIsWhatIsReadAndNoMore() {
        var whole = Serialization.unmarshal(STATEFUL_SET, StatefulSet.class);
        var store = WorkloadStore.statefulSets();
        store.put("shop/web", whole);
        var kept = store.get("shop/web");
        assertThat(Workload.of(kept)).isEqualTo(Workload.of(whole));
        assertThat(Workload.of(kept).held()).isPresent();
        assertThat(Workload.of(kept).shape().volumes()).containsExactly("config", "data");
        assertThat(Serialization.asYaml(kept)).doesNotContain("managedFields", "env:", "image:", "accessModes");
    }

    @Test
    void oneOfOursStaysWhole() {
        var ours = new DeploymentBuilder(Serialization.unmarshal(DEPLOYMENT, Deployment.class))
                .editMetadata()
                .addToLabels(Names.OWNED_BY_LABEL, "web")
                .endMetadata()
                .build();
        var store = WorkloadStore.deployments();
        store.put("shop/web", ours);
        assertThat(store.get("shop/web")).isSameAs(ours);
    }
}
