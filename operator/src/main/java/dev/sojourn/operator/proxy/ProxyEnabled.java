package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;

/** The proxy's objects exist exactly while it is enabled. */
public class ProxyEnabled implements Condition<HasMetadata, SessionCluster> {

    @Override
    public boolean isMet(
            DependentResource<HasMetadata, SessionCluster> dependent,
            SessionCluster primary,
            Context<SessionCluster> context) {
        return primary.getSpec().proxy().enabled();
    }
}
