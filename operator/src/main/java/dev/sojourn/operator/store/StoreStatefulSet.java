package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.StorageSpec;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.dependent.Restricted;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** One Valkey. While it restarts, the sidecars hold what they have; an empty one is filled again by them. */
@KubernetesDependent(informer = @Informer(name = StoreStatefulSet.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreStatefulSet extends OwnedResource<StatefulSet> {

    public static final String NAME = "store-statefulset";

    /** valkey's user in the official image; any non-root user serves. */
    private static final long USER = 999;

    @Inject
    OperatorConfig config;

    public StoreStatefulSet() {
        super(StatefulSet.class, StoreSecret.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    protected StatefulSet desired(SessionCluster primary, Context<SessionCluster> context) {
        var managed = Objects.requireNonNull(primary.getSpec().store().managed());
        var acl = context.getSecondaryResource(io.fabric8.kubernetes.api.model.Secret.class, StoreSecret.NAME)
                .map(secret -> secret.getData().get("users.acl"))
                .orElse("");
        var checksum =
                InjectionSettings.sha256(ValkeyConf.render(managed) + acl).substring(0, 10);
        var set = new StatefulSetBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withReplicas(1)
                .withServiceName(nameFor(primary))
                // The sessions go with the SessionCluster, and with nothing less.
                .withNewPersistentVolumeClaimRetentionPolicy("Delete", "Retain")
                .withNewSelector()
                .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .endSelector()
                .withTemplate(template(primary, managed, checksum))
                .endSpec()
                .build();
        claim(managed)
                .ifPresent(claim -> set.getSpec().getVolumeClaimTemplates().add(claim));
        return set;
    }

    private PodTemplateSpec template(SessionCluster primary, ManagedStoreSpec managed, String checksum) {
        var template = new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .withAnnotations(Map.of(Names.CHECKSUM_ANNOTATION, checksum))
                .endMetadata()
                .withNewSpec()
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withTerminationGracePeriodSeconds(30L)
                .withSecurityContext(Restricted.pod(USER))
                .withContainers(container(managed))
                .addNewVolume()
                .withName("config")
                .withNewConfigMap()
                .withName(nameFor(primary))
                .endConfigMap()
                .endVolume()
                .addNewVolume()
                .withName("acl")
                .withNewSecret()
                .withSecretName(nameFor(primary))
                .addNewItem("users.acl", null, "users.acl")
                .endSecret()
                .endVolume()
                .endSpec();
        if (claim(managed).isEmpty()) {
            template = template.editSpec()
                    .addNewVolume()
                    .withName("data")
                    .withNewEmptyDir()
                    .endEmptyDir()
                    .endVolume()
                    .endSpec();
        }
        return template.build();
    }

    private Container container(ManagedStoreSpec managed) {
        return new ContainerBuilder()
                .withName("valkey")
                .withImage(Objects.requireNonNullElse(managed.image(), config.valkeyImage()))
                .withImagePullPolicy(config.imagePullPolicy())
                .withCommand("valkey-server", "/config/valkey.conf")
                .withResources(ValkeyConf.resources(managed))
                .withSecurityContext(Restricted.container())
                .addNewPort()
                .withName("redis")
                .withContainerPort(Names.STORE_PORT)
                .withProtocol("TCP")
                .endPort()
                .withNewReadinessProbe()
                .withNewTcpSocket()
                .withNewPort("redis")
                .endTcpSocket()
                .withPeriodSeconds(2)
                .withFailureThreshold(3)
                .endReadinessProbe()
                .addNewVolumeMount()
                .withName("config")
                .withMountPath("/config")
                .withReadOnly(true)
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("acl")
                .withMountPath("/acl")
                .withReadOnly(true)
                .endVolumeMount()
                .addNewVolumeMount()
                .withName("data")
                .withMountPath("/data")
                .endVolumeMount()
                .build();
    }

    private static Optional<PersistentVolumeClaim> claim(ManagedStoreSpec managed) {
        if (Boolean.TRUE.equals(managed.ephemeral())) {
            return Optional.empty();
        }
        var storage = Objects.requireNonNullElseGet(managed.storage(), () -> new StorageSpec(null, null));
        return Optional.of(new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withName("data")
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName(storage.storageClassName())
                .withNewResources()
                .withRequests(Map.of("storage", new Quantity(storage.size())))
                .endResources()
                .endSpec()
                .build());
    }
}
