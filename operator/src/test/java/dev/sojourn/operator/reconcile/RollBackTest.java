package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.owner.ApiServer;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A SessionCluster is deleted whose workload was another one before. */
class RollBackTest {

    private static final String OURS =
            "{metadata: {labels: {sojourn.dev/cluster: web}}, spec: {containers: [{name: app}]}}";
    private static final String THEIRS =
            "{metadata: {labels: {sojourn.dev/cluster: pet}}, spec: {containers: [{name: app}]}}";
    private static final String NOBODYS = "{spec: {containers: [{name: app}]}}";

    private final Seen seen = new Seen();
    private List<Deployment> deployments = List.of();
    private List<StatefulSet> statefulSets = List.of();
    /** Names of those whose template may not be as it would be. */
    private Set<String> refused = Set.of();

    private ApiServer api;
    private SessionClusterReconciler reconciler;

    @BeforeEach
    void start() throws IOException {
        api = new ApiServer(name -> refused.contains(name) ? 422 : 200, Map.of());
        reconciler = seen.reconciler(api.client());
        seen.cluster.getMetadata().setUid("one's");
    }

    @AfterEach
    void stop() {
        api.close();
    }

    /** Nobody else would: their pods would have a sidecar and no store. */
    @Test
    void allWithItsLabelAreReleasedAndNoOther() {
        deployments = List.of(
                Seen.deployment("web", OURS),
                Seen.deployment("web-of-before", OURS),
                Seen.deployment("pet", THEIRS),
                Seen.deployment("x", NOBODYS));
        statefulSets = List.of(new StatefulSetBuilder()
                .withNewMetadata()
                .withName("canary")
                .endMetadata()
                .withNewSpec()
                .withTemplate(Seen.deployment("canary", OURS).getSpec().getTemplate())
                .endSpec()
                .build());
        assertThat(cleanup()).isTrue();
        var patches = api.asked.stream()
                .filter(asked -> asked.what().startsWith("PATCH"))
                .toList();
        assertThat(patches)
                .extracting(ApiServer.Asked::what)
                .containsExactly(
                        "PATCH /apis/apps/v1/namespaces/shop/deployments/web",
                        "PATCH /apis/apps/v1/namespaces/shop/deployments/web-of-before",
                        "PATCH /apis/apps/v1/namespaces/shop/statefulsets/canary");
        assertThat(patches).allSatisfy(patch -> assertThat(patch.body()).contains("\"sojourn.dev/cluster\":null"));
    }

    /** Its selector has the label too, or a policy speaks against it: it must not hold what has nothing to do with it. */
    @Test
    void oneThatCannotBeReleasedKeepsNoOther() {
        deployments = List.of(Seen.deployment("canary", OURS), Seen.deployment("web", OURS));
        refused = Set.of("canary");
        assertThat(cleanup()).isTrue();
        assertThat(api.asked)
                .anySatisfy(
                        asked -> assertThat(asked.what()).startsWith("PATCH").endsWith("/web"))
                .anySatisfy(asked -> assertThat(asked.body()).contains("ReleaseRefused", "canary keeps the label"));
    }

    @Test
    void theOneOfTheSpecIsWaitedForAndTheOthersAreLetGo() {
        deployments = List.of(Seen.deployment("web", OURS), Seen.deployment("canary", OURS));
        refused = Set.of("web");
        assertThatThrownBy(this::cleanup).isInstanceOf(KubernetesClientException.class);
        assertThat(api.asked)
                .anySatisfy(
                        asked -> assertThat(asked.what()).startsWith("PATCH").endsWith("/canary"));
    }

    /** The workload of that name is none of it. */
    @Test
    void theManagedStoreIsSaidToGo() {
        seen.cluster.getMetadata().setUid("of it");
        statefulSets = List.of(new StatefulSetBuilder(seen.store.orElseThrow())
                .withNewSpec()
                .withTemplate(Seen.deployment("x", NOBODYS).getSpec().getTemplate())
                .endSpec()
                .build());
        assertThat(cleanup()).isTrue();
        assertThat(api.asked).anySatisfy(asked -> assertThat(asked.body()).contains("StoreGoes"));
    }

    private boolean cleanup() {
        return reconciler.cleanup(seen.cluster, informed()).isRemoveFinalizer();
    }

    private Context<SessionCluster> informed() {
        return Informed.of(
                Stream.of(deployments, statefulSets).flatMap(List::stream).toList(), "web", "web-store");
    }
}
