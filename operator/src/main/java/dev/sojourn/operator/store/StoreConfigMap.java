package dev.sojourn.operator.store;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.util.Objects;

/** {@code valkey.conf}. */
@KubernetesDependent(informer = @Informer(name = StoreConfigMap.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreConfigMap extends OwnedResource<ConfigMap> {

    public static final String NAME = "store-configmap";

    public StoreConfigMap() {
        super(ConfigMap.class, StoreSecret.COMPONENT);
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
    protected ConfigMap desired(SessionCluster primary, Context<SessionCluster> context) {
        var spec = Objects.requireNonNull(primary.getSpec().store().managed());
        return new ConfigMapBuilder()
                .withMetadata(metadata(primary))
                .withData(StoreFiles.of(spec))
                .build();
    }
}
