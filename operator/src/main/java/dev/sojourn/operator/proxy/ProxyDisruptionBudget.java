package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** One Envoy at a time may be evicted. */
@KubernetesDependent(informer = @Informer(name = ProxyDisruptionBudget.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyDisruptionBudget extends OwnedResource<PodDisruptionBudget> {

    public static final String NAME = "proxy-disruptionbudget";

    public ProxyDisruptionBudget() {
        super(PodDisruptionBudget.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected PodDisruptionBudget desired(SessionCluster primary, Context<SessionCluster> context) {
        return new PodDisruptionBudgetBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(1))
                .withUnhealthyPodEvictionPolicy("AlwaysAllow")
                .withNewSelector()
                .withMatchLabels(Names.labels(primary, ProxyConfigMap.COMPONENT))
                .endSelector()
                .endSpec()
                .build();
    }
}
