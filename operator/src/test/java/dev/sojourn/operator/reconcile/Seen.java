package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterSpec;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.metrics.SessionClusterMetrics;
import dev.sojourn.operator.sidecar.SidecarLook;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.StoreLook;
import dev.sojourn.operator.store.StoreNode;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreRollout;
import dev.sojourn.operator.store.shard.ShardReport;
import dev.sojourn.operator.store.shard.ShardSteward;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Observations for tests: all is well, but for what a test changes. */
final class Seen {

    /** Stands for the hash of what the spec says. */
    private static final String GIVEN = "given";

    /** Has the label too: a canary, or the one that was named before. */
    static final WorkloadRef ANOTHER = new WorkloadRef(WorkloadRef.Kind.Deployment, "web-of-before");

    SessionCluster cluster = Serialization.unmarshal("""
            apiVersion: sojourn.dev/v1alpha1
            kind: SessionCluster
            metadata: {name: web, namespace: shop}
            spec: {workload: {name: web}, port: 8080, proxy: {enabled: false}}
            """, SessionCluster.class);

    boolean namespaceServed = true;
    Optional<Workload> workload = Optional.of(workload("""
            metadata: {labels: {app: web, sojourn.dev/cluster: web}}
            spec: {containers: [{name: app, ports: [{containerPort: 8080}]}]}
            """));
    List<WorkloadRef> others = List.of();
    Optional<String> rival = Optional.empty();
    List<InjectedPod> pods = List.of(pod("web-1"), pod("web-2"));
    List<StoreMove.Keeper> keepers = List.of();
    SidecarLook sidecars = SidecarLook.NONE;
    List<String> missingSecrets = List.of();
    Optional<Finding> tlsTrouble = Optional.empty();
    Optional<StoreProbe.Result> external = Optional.empty();
    Optional<StoreProbe.Result> otherExternal = Optional.empty();
    Optional<StatefulSet> store = Optional.of(store(new OwnerReferenceBuilder()
            .withKind("SessionCluster")
            .withName("web")
            .withUid("of it")
            .build()));
    Optional<StoreRollout> storeRollout = Optional.empty();
    Optional<String> volumesTrouble = Optional.empty();
    List<StoreNode> storeNodes = List.of();
    Set<String> dropping = Set.of();
    Optional<ShardReport> shards = Optional.empty();
    Optional<Deployment> proxy = Optional.empty();
    List<String> blindEnvoys = List.of();
    boolean gatewayApi = true;
    Optional<InjectionSettings> accepted = Optional.empty();

    /** @param spec YAML */
    static SessionClusterSpec spec(String spec) {
        // Without the dashes a brace would mean JSON.
        return Serialization.unmarshal("---\n" + spec, SessionClusterSpec.class);
    }

    static InjectedPod pod(String name) {
        return pod(name, true, null, true, null);
    }

    static InjectedPod pod(
            String name,
            boolean injected,
            @Nullable String refusal,
            boolean ready,
            @Nullable SidecarTrouble sidecarTrouble) {
        var workload = new WorkloadRef(WorkloadRef.Kind.Deployment, "web");
        return new InjectedPod(
                name, "uid-of-" + name, "10.0.0.1", workload, injected ? GIVEN : null, refusal, ready, sidecarTrouble);
    }

    static InjectedPod podOfAnother(String name) {
        return new InjectedPod(name, "uid-of-" + name, "10.0.0.1", ANOTHER, GIVEN, null, true, null);
    }

    static InjectedPod podWith(InjectionSettings settings, String name) {
        var workload = new WorkloadRef(WorkloadRef.Kind.Deployment, "web");
        return new InjectedPod(name, "uid-of-" + name, "10.0.0.1", workload, settings.hash(), null, true, null);
    }

    static Workload workload(String template) {
        return Workload.of(deployment(template).build());
    }

    /** Injected before the spec was changed. */
    static InjectedPod podOfBefore(String name) {
        return podWith(InjectionSettings.plain("shop.before", "redis://before:6379", null, null), name);
    }

    /** Its ReplicaSet cannot make pods. */
    static Workload workload(String template, String failure) {
        return Workload.of(deployment(template)
                .withNewStatus()
                .addNewCondition()
                .withType("ReplicaFailure")
                .withStatus("True")
                .withReason("FailedCreate")
                .withMessage(failure)
                .endCondition()
                .endStatus()
                .build());
    }

    static Deployment deployment(String name, String template) {
        return deployment(template).editMetadata().withName(name).endMetadata().build();
    }

    static DeploymentBuilder deployment(String template) {
        // Read as YAML: without the dashes a brace would mean JSON.
        var pods = Serialization.unmarshal("---\n" + template, PodTemplateSpec.class);
        return new DeploymentBuilder()
                .withNewMetadata()
                .withName("web")
                .endMetadata()
                .withNewSpec()
                .withReplicas(2)
                .withTemplate(pods)
                .endSpec();
    }

    Observation observation() {
        return new Observation(
                namespaceServed,
                workload,
                others,
                Names.isOwn(cluster, cluster.getSpec().workload()),
                rival,
                pods.stream().map(this::settled).toList(),
                keepers,
                sidecars,
                missingSecrets,
                tlsTrouble,
                external,
                otherExternal,
                store,
                storeRollout,
                volumesTrouble,
                new StoreLook(storeNodes, dropping, List.of(), Map.of()),
                shards,
                proxy,
                blindEnvoys,
                gatewayApi,
                InjectionSettings.of(cluster),
                accepted);
    }

    private InjectedPod settled(InjectedPod pod) {
        return GIVEN.equals(pod.settings())
                ? new InjectedPod(
                        pod.name(),
                        pod.uid(),
                        pod.ip(),
                        pod.workload(),
                        InjectionSettings.of(cluster).hash(),
                        pod.refusal(),
                        pod.ready(),
                        pod.sidecarTrouble())
                : pod;
    }

    /** Of one that sees this, and evicts nobody. */
    @SuppressWarnings("NullAway") // what nobody asks here
    SessionClusterReconciler reconciler(KubernetesClient client) {
        var observer = new Observer(null, null, null, null, null, null, null) {
            @Override
            Observation observe(SessionCluster primary, Context<SessionCluster> context) {
                return observation();
            }

            @Override
            void forget(SessionCluster primary) {}
        };
        var events = new Events(client);
        var registry = new SimpleMeterRegistry();
        var metrics = new SessionClusterMetrics(registry);
        return new SessionClusterReconciler(
                observer,
                new TemplatePatcher(client),
                new ShardSteward(null),
                new Evictions(client, null, events, registry) {
                    @Override
                    void evictOne(SessionCluster primary, Observation seen) {}
                },
                new Farewells(events, metrics),
                events,
                metrics);
    }

    Optional<Refusal> refusal() {
        return Validation.check(cluster, observation());
    }

    Inspection inspection() {
        return new Inspection(cluster, observation(), refusal());
    }

    static StatefulSet store(OwnerReference... owners) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withName("web-store")
                .addToLabels(Names.OWNED_BY_LABEL, "web")
                .addToLabels(Names.COMPONENT_LABEL, "store")
                .withOwnerReferences(owners)
                .endMetadata()
                .withNewStatus()
                .withReadyReplicas(1)
                .endStatus()
                .build();
    }
}
