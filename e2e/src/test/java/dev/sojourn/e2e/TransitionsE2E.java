package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules of the schema that see the spec of before: only an API server evaluates them. No pod is needed, the workload does not exist. */
@ExtendWith(World.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("What of a spec cannot change is refused with the mend, and all else can change")
class TransitionsE2E {
    private static final String NAMESPACE = "e2e-transitions";

    /** What is not said of a spec is as in {@link #PLAIN}. */
    private static final Map<String, Map<String, Object>> SPECS = Serialization.unmarshal("""
            plain: {}
            other-workload: {workload: {name: other}}
            other-kind: {workload: {kind: StatefulSet, name: absent}}
            other-port: {port: 9090}
            one: {store: {managed: {}}}
            one-with-limits: {store: {managed: {image: "redis:7", resources: {limits: {memory: 1Gi}}}}}
            one-larger: {store: {managed: {storage: {size: 2Gi}}}}
            one-larger-still: {store: {managed: {storage: {size: 4Gi}}}}
            one-of-a-class: {store: {managed: {storage: {storageClassName: fast}}}}
            one-of-another: {store: {managed: {storage: {size: 2Gi, storageClassName: slow}}}}
            one-ephemeral: {store: {managed: {ephemeral: true}}}
            one-not-ephemeral: {store: {managed: {ephemeral: false}}}
            copies: {store: {managed: {topology: Replicated}}}
            more-copies: {store: {managed: {topology: Replicated, replicas: 4}}}
            shards: {store: {managed: {topology: Sharded}}}
            more-shards: {store: {managed: {topology: Sharded, shards: 5, replicas: 2}}}
            theirs: {store: {external: {url: "redis://theirs.invalid:6379"}}}
            other-theirs: {store: {external: {url: "rediss://other.invalid:6379"}}}
            one-to-theirs: {store: {next: {external: {url: "redis://theirs.invalid:6379"}}}}
            theirs-from-one: {store: {external: {url: "redis://theirs.invalid:6379"}, previous: {managed: true}}}
            theirs-to-one: {store: {external: {url: "redis://theirs.invalid:6379"}, next: {managed: true}}}
            one-from-theirs: {store: {managed: {}, previous: {external: {url: "redis://theirs.invalid:6379"}}}}
            copies-to-theirs: {store: {managed: {topology: Replicated}, next: {external: {url: "redis://theirs.invalid:6379"}}}}
            theirs-from-copies: {store: {managed: {topology: Replicated}, external: {url: "redis://theirs.invalid:6379"}, previous: {managed: true}}}
            theirs-to-copies: {store: {managed: {topology: Replicated}, external: {url: "redis://theirs.invalid:6379"}, next: {managed: true}}}
            theirs-from-shards: {store: {managed: {topology: Sharded}, external: {url: "redis://theirs.invalid:6379"}, previous: {managed: true}}}
            copies-from-theirs: {store: {managed: {topology: Replicated}, previous: {external: {url: "redis://theirs.invalid:6379"}}}}
            """, SpecsByName.class);

    private static final Map<String, Object> PLAIN = Map.of("workload", Map.of("name", "absent"), "port", 8080);

    /** Said to the parser, which would make maps of anything. */
    private static final class SpecsByName extends LinkedHashMap<String, Map<String, Object>> {}

    private final Set<String> there = new HashSet<>();
    private @Nullable Cluster cluster;

    @BeforeAll
    void setUp(Cluster world) {
        cluster = world;
        world.client()
                .resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .serverSideApply();
    }

    @AfterAll
    void tearDown() {
        there.forEach(name -> resource(name, "plain").delete());
        Objects.requireNonNull(cluster).deleteNamespace(NAMESPACE);
    }

    @ParameterizedTest(name = "from {0} to {1}: {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', nullValues = "accepted", textBlock = """
            plain              | other-port         | accepted
            plain              | other-workload     | accepted
            plain              | other-kind         | accepted
            # A store that is not mentioned is one server with a volume.
            plain              | one                | accepted
            plain              | one-with-limits    | accepted
            plain              | one-not-ephemeral  | accepted
            one                | plain              | accepted
            plain              | copies             | spec.store: topology, storage class and ephemeral cannot change
            plain              | one-larger         | accepted
            plain              | one-of-a-class     | spec.store: topology, storage class and ephemeral cannot change
            plain              | one-ephemeral      | spec.store: topology, storage class and ephemeral cannot change
            copies             | plain              | spec.store: topology, storage class and ephemeral cannot change
            one-larger         | plain              | accepted
            one-of-a-class     | plain              | spec.store: topology, storage class and ephemeral cannot change
            one-ephemeral      | plain              | spec.store: topology, storage class and ephemeral cannot change
            # What a StatefulSet cannot change.
            one                | one-with-limits    | accepted
            one                | one-not-ephemeral  | accepted
            one                | copies             | spec.store.managed.topology: cannot change
            copies             | shards             | spec.store.managed.topology: cannot change
            one                | one-of-a-class     | spec.store.managed.storage.storageClassName: cannot change
            one-of-a-class     | one-of-another     | spec.store.managed.storage.storageClassName: cannot change
            one                | one-ephemeral      | spec.store.managed.ephemeral: cannot change
            one-ephemeral      | one                | spec.store.managed.ephemeral: cannot change
            # What it can. Whether volumes can have a size depends on them, and is the operator's to say.
            one                | one-larger         | accepted
            one-larger         | one-larger-still   | accepted
            one-larger-still   | one-larger         | accepted
            copies             | more-copies        | accepted
            shards             | more-shards        | accepted
            more-shards        | shards             | accepted
            # Without taking sessions along.
            plain              | theirs             | accepted
            copies             | theirs             | accepted
            theirs             | shards             | accepted
            theirs             | other-theirs       | accepted
            theirs             | plain              | accepted
            # The three steps, from the managed store and to it, and back.
            plain              | one-to-theirs      | accepted
            one-to-theirs      | theirs-from-one    | accepted
            theirs-from-one    | theirs             | accepted
            theirs-from-one    | one-to-theirs      | accepted
            theirs             | theirs-to-one      | accepted
            theirs-to-one      | one-from-theirs    | accepted
            one-from-theirs    | one                | accepted
            copies             | copies-to-theirs   | accepted
            copies-to-theirs   | theirs-from-copies | accepted
            theirs-from-copies | theirs             | accepted
            theirs             | theirs-to-copies   | accepted
            theirs-to-copies   | copies-from-theirs | accepted
            copies-from-theirs | copies             | accepted
            # The managed store is described as it is until it has gone.
            copies             | theirs-from-one    | spec.store: topology, storage class and ephemeral cannot change
            copies-to-theirs   | theirs-from-one    | spec.store: topology, storage class and ephemeral cannot change
            copies-to-theirs   | theirs-from-shards | spec.store.managed.topology: cannot change
            theirs-from-copies | theirs-from-one    | spec.store: topology, storage class and ephemeral cannot change
            theirs-from-copies | shards             | spec.store.managed.topology: cannot change
            theirs-to-one      | copies-from-theirs | spec.store: topology, storage class and ephemeral cannot change
            theirs-from-one    | copies             | spec.store: topology, storage class and ephemeral cannot change
            """)
    void transition(String from, String to, @Nullable String refusal) {
        if (there.add(from)) {
            resource(from, from).serverSideApply();
        }
        if (refusal == null) {
            assertThatCode(() -> resource(from, to).dryRun().serverSideApply()).doesNotThrowAnyException();
        } else {
            assertThatThrownBy(() -> resource(from, to).dryRun().serverSideApply())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining(refusal);
        }
    }

    private Resource<GenericKubernetesResource> resource(String name, String spec) {
        var values = new LinkedHashMap<>(PLAIN);
        values.putAll(Objects.requireNonNull(SPECS.get(spec), spec));
        var resource = new GenericKubernetesResource();
        resource.setApiVersion("sojourn.dev/v1alpha1");
        resource.setKind("SessionCluster");
        resource.setMetadata(
                new ObjectMetaBuilder().withName(name).withNamespace(NAMESPACE).build());
        resource.setAdditionalProperty("spec", values);
        return Objects.requireNonNull(cluster)
                .client()
                .genericKubernetesResources(Shop.SESSION_CLUSTER)
                .inNamespace(NAMESPACE)
                .resource(resource);
    }
}
