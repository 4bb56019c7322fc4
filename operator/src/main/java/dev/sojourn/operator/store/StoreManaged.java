package dev.sojourn.operator.store;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;

/** The store's objects exist exactly while the operator is to run one. */
public class StoreManaged implements Condition<HasMetadata, SessionCluster> {

    @Override
    public boolean isMet(
            DependentResource<HasMetadata, SessionCluster> dependent,
            SessionCluster primary,
            Context<SessionCluster> context) {
        return primary.getSpec().store().managed() != null;
    }
}
