package dev.sojourn.operator.dependent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnedResourceTest {

    @SuppressWarnings("NullAway") // nobody asks it
    private static final Context<SessionCluster> NONE = null;

    private static final class Files extends OwnedResource<ConfigMap> {

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
        var cluster = new SessionCluster();
        cluster.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withNamespace("shops")
                .withUid(name + "-uid")
                .build());
        return cluster;
    }
}
