package dev.sojourn.operator.dependent;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;

/** One pod of a component at a time may be evicted. */
public abstract class DisruptionBudget extends OwnedResource<PodDisruptionBudget> {

    private final String component;

    protected DisruptionBudget(String component) {
        super(PodDisruptionBudget.class, component);
        this.component = component;
    }

    @Override
    protected PodDisruptionBudget desired(SessionCluster primary, Context<SessionCluster> context) {
        return new PodDisruptionBudgetBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(1))
                .withUnhealthyPodEvictionPolicy("AlwaysAllow")
                .withNewSelector()
                .withMatchLabels(Names.labels(primary, component))
                .endSelector()
                .endSpec()
                .build();
    }
}
