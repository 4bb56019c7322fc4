package dev.sojourn.operator.store;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** One pod of the store at a time may be evicted: the next when that one is in step again. */
@KubernetesDependent(informer = @Informer(name = StoreDisruptionBudget.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreDisruptionBudget extends OwnedResource<PodDisruptionBudget> {

    public static final String NAME = "store-disruptionbudget";

    public StoreDisruptionBudget() {
        super(PodDisruptionBudget.class, StoreSecret.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    protected PodDisruptionBudget desired(SessionCluster primary, Context<SessionCluster> context) {
        return new PodDisruptionBudgetBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(1))
                .withUnhealthyPodEvictionPolicy("AlwaysAllow")
                .withNewSelector()
                .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .endSelector()
                .endSpec()
                .build();
    }
}
