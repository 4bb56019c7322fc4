package dev.sojourn.operator.dependent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.owner.ApiServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnedResourceTest {

    @SuppressWarnings("NullAway") // nobody asks it
    private static final Context<SessionCluster> NONE = null;

    private static class Files extends OwnedResource<ConfigMap> {

        Files() {
            super(ConfigMap.class, "proxy");
        }

        @Override
        protected String nameFor(SessionCluster primary) {
            return Names.proxy(primary);
        }

        @Override
        protected ConfigMap desired(SessionCluster primary, Context<SessionCluster> context) {
            return new ConfigMapBuilder().withMetadata(metadata(primary)).build();
        }

        /** It would ask the framework's configuration. */
        @Override
        protected boolean useSSA(Context<SessionCluster> context) {
            return false;
        }

        @Override
        protected void addMetadata(
                boolean isUpdate,
                ConfigMap actual,
                ConfigMap target,
                SessionCluster primary,
                Context<SessionCluster> context) {}
    }

    /** Wanted no more. */
    private static final class Sessions extends Files {

        @Override
        protected boolean isOnlyKept(SessionCluster primary) {
            return true;
        }
    }

    private static final Files FILES = new Files();

    /** The framework goes by owner references where it is none. */
    private static final SecondaryToPrimaryMapper<ConfigMap> MAPPER = FILES;

    private static final KubernetesSerialization SERIALIZATION = new KubernetesSerialization();

    private static final SessionCluster SHOP = cluster("shop");

    /** As after a restore from a backup, or a deletion that left it. */
    @Test
    void oneWithoutAnOwnerIsThatOfTheSessionClusterThatItsLabelNames() {
        var made = FILES.desired(SHOP, NONE);
        assertThat(made.getMetadata().getOwnerReferences()).isEmpty();
        assertThat(MAPPER.toPrimaryResourceIDs(made)).containsExactly(new ResourceID("shop", "shops"));
        assertThat(FILES.selectTargetSecondaryResource(Set.of(made), SHOP, NONE))
                .contains(made);
    }

    /** What the framework compares of a ConfigMap is its data. */
    @Test
    void oneWithoutAnOwnerIsGivenOneAndNothingElse() {
        var disowned = FILES.desired(SHOP, NONE);
        disowned.setData(Map.of("kept", "as it is"));
        assertThat(FILES.match(disowned, FILES.desired(SHOP, NONE), SHOP, NONE).matched())
                .isFalse();

        var owned = OwnedResource.owned(disowned, SHOP, SERIALIZATION);
        assertThat(owned.hasOwnerReferenceFor(SHOP)).isTrue();
        assertThat(disowned.getMetadata().getOwnerReferences())
                .as("the cache's is not touched")
                .isEmpty();
        owned.getMetadata().setOwnerReferences(List.of());
        assertThat(owned).isEqualTo(disowned);
    }

    /** One of a SessionCluster of this name that was deleted with {@code --cascade=orphan}. */
    @Test
    void sessionsThatAnotherOneLeftAreNotDeleted() throws IOException {
        try (var api = new ApiServer(200, Map.of())) {
            var left = FILES.desired(SHOP, NONE);
            var sessions = new Sessions();
            sessions.handleDelete(SHOP, left, context(api));
            var ofBefore = OwnedResource.owned(left, cluster("shop", "uid of before"), SERIALIZATION);
            sessions.handleDelete(SHOP, ofBefore, context(api));
            sessions.handleDelete(SHOP, null, context(api));
            assertThat(api.asked).isEmpty();

            sessions.handleDelete(SHOP, OwnedResource.owned(left, SHOP, SERIALIZATION), context(api));
            FILES.handleDelete(SHOP, left, context(api));
            assertThat(api.asked)
                    .extracting(ApiServer.Asked::what)
                    .containsOnly("DELETE /api/v1/namespaces/shops/configmaps/shop-proxy")
                    .hasSize(2);
        }
    }

    @SuppressWarnings("unchecked")
    private static Context<SessionCluster> context(ApiServer api) {
        return (Context<SessionCluster>) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (self, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getClient");
                    return api.client();
                });
    }

    @Test
    void oneOfAnotherSessionClusterIsNotTakenOver() {
        var theirs = called("shop-proxy", Names.labels(cluster("other"), "proxy"));
        assertThat(MAPPER.toPrimaryResourceIDs(theirs)).containsExactly(new ResourceID("other", "shops"));
        assertThat(FILES.selectTargetSecondaryResource(Set.of(theirs), SHOP, NONE))
                .isEmpty();
    }

    @Test
    void oneOfTheUsersOfThatNameIsNotTakenOver() {
        var theirs = called("shop-proxy", Map.of("app", "shop"));
        assertThat(MAPPER.toPrimaryResourceIDs(theirs)).isEmpty();
        assertThat(FILES.selectTargetSecondaryResource(Set.of(theirs), SHOP, NONE))
                .isEmpty();
    }

    /** There it would be tried for ever, with no word of what is in the way. */
    @Test
    void oneOfTheUsersThatIsInTheWayIsNamed() throws IOException {
        var theirs = SERIALIZATION.asJson(called("shop-proxy", Map.of("app", "shop")));
        try (var api = new ApiServer(name -> name.equals("shop-proxy") ? 200 : 409, Map.of("shop-proxy", theirs))) {
            assertThatThrownBy(() -> create(api))
                    .hasMessageContaining("not this SessionCluster's")
                    .isNotInstanceOf(KubernetesClientException.class);
        }
        assertThat(FILES.describe(SHOP)).isEqualTo("ConfigMap shop-proxy");
    }

    /** The cache lags: the next attempt finds it. */
    @Test
    void oneOfOursThatIsAlreadyThereIsNobodyElses() throws IOException {
        var ours = SERIALIZATION.asJson(FILES.desired(SHOP, NONE));
        try (var api = new ApiServer(name -> name.equals("shop-proxy") ? 200 : 409, Map.of("shop-proxy", ours))) {
            assertThatThrownBy(() -> create(api)).isInstanceOf(KubernetesClientException.class);
        }
    }

    private static void create(ApiServer api) {
        FILES.create(FILES.desired(SHOP, NONE), SHOP, context(api));
    }

    private static ConfigMap called(String name, Map<String, String> labels) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("shops")
                .withLabels(labels)
                .endMetadata()
                .build();
    }

    private static SessionCluster cluster(String name) {
        return cluster(name, name + "-uid");
    }

    private static SessionCluster cluster(String name, String uid) {
        var cluster = new SessionCluster();
        cluster.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withNamespace("shops")
                .withUid(uid)
                .build());
        return cluster;
    }
}
