package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.inject.KnownStores;
import dev.sojourn.operator.store.StoreLook;
import dev.sojourn.operator.store.StoreObserver;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.shard.ShardSteward;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of a store that a refused spec names no more. */
class KeptStoreTest {

    private static final String THEIRS = "{external: {url: 'redis://theirs:6379'}}";
    private static final String LEFT = "{external: {url: 'redis://theirs:6379'}, previous: {managed: true}%s}";

    private final Seen seen = new Seen();
    private final StatefulSet set = seen.store.orElseThrow();

    @BeforeEach
    void thereIsAStore() {
        set.getMetadata().setUid("1-2-3");
        set.setSpec(new StatefulSetSpec());
        set.getSpec().setReplicas(1);
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "theirs answers", 0));
    }

    @Test
    void theOneThatHasTheSessionsIsJudged() {
        accepted("{}");
        set.getStatus().setReadyReplicas(0);
        store(THEIRS);
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("StepSkipped");
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreStarting");
        assertThat(seen.inspection().findings().storeEndpoint()).isEqualTo("redis://web-store.shop.svc:6379");
        giveUp();
        assertThat(seen.inspection().store().message()).isEqualTo("theirs answers");
        assertThat(seen.inspection().findings().storeEndpoint()).isEqualTo("redis://theirs:6379");
    }

    @Test
    void theOneThatSessionsComeFromIsJudgedBesideTheOther() {
        store("{next: " + THEIRS + "}");
        seen.keepers = List.of(new StoreMove.Keeper("web-1", null, KnownStores.of(InjectionSettings.of(seen.cluster))));
        accepted(LEFT.formatted(""));
        store(THEIRS);
        assertThat(seen.refusal()).map(Refusal::reason).hasValue("WaitingForPods");
        assertThat(seen.inspection().store().message()).isEqualTo("theirs answers");
        seen.dropping = Set.of("web-store-0");
        assertThat(seen.inspection().store().reason()).isEqualTo("StoreFull");
        assertThat(seen.inspection().store().message()).startsWith("the managed store: web-store-0 dropped sessions");
        assertThat(seen.inspection().findings().storeEndpoint()).isEqualTo("redis://theirs:6379");
    }

    /** A shard may be lost meanwhile, and no pod is replaced while slots move. */
    @Test
    void itsShardsAreTendedAsTheyWereWanted() {
        accepted("{managed: {topology: Sharded, shards: 3, replicas: 2}}");
        set.getSpec().setReplicas(12);
        store(THEIRS);
        assertThat(seen.inspection().sharded()).isPresent();
        assertThat(seen.inspection().mayTendShards())
                .as("not known of which shape")
                .isFalse();
        set.getMetadata().setAnnotations(Map.of(Names.SHARDS_ANNOTATION, "3", Names.COPIES_ANNOTATION, "2"));
        assertThat(seen.inspection().mayTendShards()).isTrue();
        assertThat(seen.inspection().sharded()).get().satisfies(managed -> {
            assertThat(managed.primaries()).isEqualTo(3);
            assertThat(managed.copies()).isEqualTo(2);
        });
        giveUp();
        assertThat(seen.inspection().sharded()).isEmpty();
        assertThat(seen.inspection().mayTendShards()).isFalse();
    }

    @Test
    void allItsCopiesAreAwaited() {
        accepted("{managed: {topology: Replicated, replicas: 4}}");
        set.getSpec().setReplicas(5);
        store(THEIRS);
        assertThat(kept()).map(ManagedStoreSpec::pods).hasValue(5);
        assertThat(kept()).map(ManagedStoreSpec::topology).hasValue(ManagedStoreSpec.Topology.Replicated);
    }

    @Test
    void itIsLookedAtForAsLongAsItIsThere() {
        var told = new ArrayList<String>();
        accepted("{}");
        store(THEIRS);
        look(told);
        assertThat(told).containsExactly("observed 1");
        accepted(LEFT.formatted(", managed: {topology: Replicated}"));
        store(THEIRS);
        look(told);
        assertThat(told).containsExactly("observed 1", "observed 1");
        accepted(THEIRS);
        look(told);
        assertThat(told).containsExactly("observed 1", "observed 1", "forgotten");
        // Of a SessionCluster of before.
        accepted("{}");
        set.getMetadata().setOwnerReferences(List.of());
        store(THEIRS);
        look(told);
        assertThat(told).endsWith("forgotten", "forgotten");
    }

    @SuppressWarnings("NullAway") // what nobody asks here
    private void look(List<String> told) {
        var stores = new StoreObserver(null, null) {
            @Override
            public StoreLook observe(SessionCluster primary, int replicas, Secret secret) {
                told.add("observed " + replicas);
                return StoreLook.NONE;
            }

            @Override
            public void forget(SessionCluster primary) {
                told.add("forgotten");
            }
        };
        var secret = new SecretBuilder()
                .withNewMetadata()
                .withName("web-store")
                .endMetadata()
                .build();
        new Observer(null, null, stores, new ShardSteward(null), null, null, null)
                .look(seen.cluster, kept(), seen.store, List.<Pod>of(), Informed.of(List.of(secret), "web-store"));
    }

    private Optional<ManagedStoreSpec> kept() {
        return KeptStore.of(seen.cluster, seen.store, seen.accepted);
    }

    private void accepted(String store) {
        store(store);
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
    }

    private void store(String store) {
        seen.cluster.setSpec(Seen.spec("{workload: {name: web}, port: 8080, store: " + store + "}"));
    }

    private void giveUp() {
        seen.cluster.getMetadata().setAnnotations(Map.of(Names.GIVEN_UP_ANNOTATION, "1-2-3"));
    }
}
