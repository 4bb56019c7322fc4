package dev.sojourn.operator.store;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.DisruptionBudget;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** One pod of the store at a time may be evicted: the next when that one is in step again. */
@KubernetesDependent(informer = @Informer(name = StoreDisruptionBudget.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreDisruptionBudget extends DisruptionBudget {

    public static final String NAME = "store-disruptionbudget";

    public StoreDisruptionBudget() {
        super(StoreSecret.COMPONENT);
    }

    @Override
    protected boolean isOnlyKept(SessionCluster primary) {
        return StoreManaged.isOnlyKept(primary);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }
}
