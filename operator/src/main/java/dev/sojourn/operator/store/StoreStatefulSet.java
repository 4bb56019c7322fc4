package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.dependent.SettledPods;
import dev.sojourn.operator.store.shard.ShardSteward;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetUpdateStrategyBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.ReconcileResult;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The store's pods. What they lose while they restart, the sidecars hold, and put back. */
@KubernetesDependent(informer = @Informer(name = StoreStatefulSet.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreStatefulSet extends OwnedResource<StatefulSet> {

    public static final String NAME = "store-statefulset";

    /** Pods are replaced by {@link StoreRollout}'s rules. */
    private static final String ON_DELETE = "OnDelete";

    @Inject
    OperatorConfig config;

    @Inject
    ShardSteward shards;

    public StoreStatefulSet() {
        super(StatefulSet.class, StoreSecret.COMPONENT);
    }

    @Override
    protected boolean isOnlyKept(SessionCluster primary) {
        return StoreManaged.isOnlyKept(primary);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    public ReconcileResult<StatefulSet> reconcile(SessionCluster primary, Context<SessionCluster> context) {
        var managed = primary.getSpec().store().managed();
        var there = getSecondaryResource(primary, context).orElse(null);
        if (managed == null || there == null) {
            return super.reconcile(primary, context);
        }
        var isGoing = there.getMetadata().getDeletionTimestamp() != null;
        if (!isGoing && StoreVolumes.canGrow(there, managed)) {
            StoreVolumes.grow(primary, managed, there, context.getClient());
            isGoing = true;
        }
        // It is made anew when it has gone.
        if (isGoing) {
            return ReconcileResult.noOperation(there);
        }
        return rollsByItself(there)
                ? ReconcileResult.resourceUpdated(takeOver(there, context))
                : super.reconcile(primary, context);
    }

    private static boolean rollsByItself(StatefulSet set) {
        return !ON_DELETE.equals(set.getSpec().getUpdateStrategy().getType());
    }

    /** One of an earlier release. As a whole: applied by its fields, the strategy would keep the defaults of the other one, and be refused. */
    private static StatefulSet takeOver(StatefulSet there, Context<SessionCluster> context) {
        return context.getClient().resource(there).patch(PatchContext.of(PatchType.JSON), """
                        [{"op": "replace", "path": "/spec/updateStrategy", "value": {"type": "%s"}}]""".formatted(ON_DELETE));
    }

    @Override
    protected StatefulSet desired(SessionCluster primary, Context<SessionCluster> context) {
        var managed = Objects.requireNonNull(primary.getSpec().store().managed());
        // By its name: a copy that somebody keeps has its labels too.
        var acl = context.getSecondaryResourcesAsStream(Secret.class)
                .filter(secret -> secret.getMetadata().getName().equals(Names.store(primary)))
                .findFirst()
                .map(secret -> secret.getData().get(StoreSecret.ACL_FILE))
                .orElse("");
        var files = String.join("", StoreFiles.of(managed).values());
        var checksum = InjectionSettings.sha256(files + acl).substring(0, 10);
        var set = new StatefulSetBuilder()
                .withNewMetadataLike(metadata(primary))
                .withAnnotations(annotations(managed))
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas(primary, managed, context))
                .withPodManagementPolicy(podManagement(primary, context))
                .withUpdateStrategy(new StatefulSetUpdateStrategyBuilder()
                        .withType(ON_DELETE)
                        .build())
                .withServiceName(nameFor(primary))
                // The sessions go with the SessionCluster, and with nothing less. But a shard that was emptied and
                // taken away must not
                // come back one day as the member that it was.
                .withNewPersistentVolumeClaimRetentionPolicy(
                        "Delete", managed.topology() == Topology.Sharded ? "Delete" : "Retain")
                .withNewSelector()
                .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .endSelector()
                .withTemplate(template(primary, managed, checksum))
                .endSpec()
                .build();
        claim(managed, getSecondaryResource(primary, context))
                .ifPresent(claim -> set.getSpec().getVolumeClaimTemplates().add(claim));
        return set;
    }

    private static Map<String, String> annotations(ManagedStoreSpec managed) {
        return managed.topology() != Topology.Sharded
                ? Map.of(Names.FIXED_ANNOTATION, managed.fixed())
                : Map.of(
                        Names.FIXED_ANNOTATION, managed.fixed(),
                        Names.SHARDS_ANNOTATION, String.valueOf(managed.primaries()),
                        Names.COPIES_ANNOTATION, String.valueOf(managed.copies()));
    }

    /**
     * A primary waits for a majority, and a cluster for all: one after the other they would wait for ever. And of a single pod that never
     * became ready (an image is misspelt, no node has so much memory) nobody would make another when the mistake is mended. It cannot change: a
     * store that is there has what it had.
     */
    private String podManagement(SessionCluster primary, Context<SessionCluster> context) {
        return getSecondaryResource(primary, context)
                .map(set -> set.getSpec().getPodManagementPolicy())
                .orElse("Parallel");
    }

    /** Pods are taken away once the sessions that they hold have moved, the last ones first: one that stays may be waiting for their room. */
    private int replicas(SessionCluster primary, ManagedStoreSpec managed, Context<SessionCluster> context) {
        var now = getSecondaryResource(primary, context)
                .map(set -> set.getSpec().getReplicas())
                .orElse(0);
        var shrinks = managed.topology() == Topology.Sharded && now > managed.pods();
        return shrinks ? shards.kept(primary, now, managed.pods()) : managed.pods();
    }

    private PodTemplateSpec template(SessionCluster primary, ManagedStoreSpec managed, String checksum) {
        var image = Objects.requireNonNullElse(managed.image(), config.valkeyImage());
        var template = new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .withAnnotations(Map.of(Names.CHECKSUM_ANNOTATION, checksum))
                .endMetadata()
                .withSpec(
                        new StorePod(primary, managed, image, config.imagePullPolicy(), config.assignedUsers()).spec())
                .build();
        return SettledPods.of(template, managed.pod());
    }

    private static Optional<PersistentVolumeClaim> claim(ManagedStoreSpec managed, Optional<StatefulSet> there) {
        if (Boolean.TRUE.equals(managed.ephemeral())) {
            return Optional.empty();
        }
        var storage = managed.storage();
        return Optional.of(new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName(StoreVolumes.CLAIM)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName(storage == null ? null : storage.storageClassName())
                .withNewResources()
                .withRequests(Map.of("storage", StoreVolumes.handedOut(there, managed)))
                .endResources()
                .endSpec()
                .build());
    }
}
