package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.util.Objects;

/** The store's name. Headless: a restarted store is found under its new address as soon as DNS has it. */
@KubernetesDependent(informer = @Informer(name = StoreService.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreService extends OwnedResource<Service> {

    public static final String NAME = "store-service";

    public StoreService() {
        super(Service.class, StoreSecret.COMPONENT);
    }

    @Override
    protected boolean isOnlyKept(SessionCluster primary) {
        return StoreManaged.isOnlyKept(primary);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    private static boolean isReplicated(SessionCluster primary) {
        var managed = Objects.requireNonNull(primary.getSpec().store().managed());
        return managed.topology() != Topology.Standalone;
    }

    @Override
    protected Service desired(SessionCluster primary, Context<SessionCluster> context) {
        return new ServiceBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withClusterIP("None")
                // Pods find each other before they are ready: that is how they become it.
                .withPublishNotReadyAddresses(isReplicated(primary))
                .withSelector(Names.labels(primary, StoreSecret.COMPONENT))
                .addNewPort()
                .withName("redis")
                .withProtocol("TCP")
                .withPort(Names.STORE_PORT)
                .withNewTargetPort("redis")
                .endPort()
                .endSpec()
                .build();
    }
}
