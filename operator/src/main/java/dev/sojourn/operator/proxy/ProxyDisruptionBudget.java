package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.DisruptionBudget;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** One Envoy at a time may be evicted. */
@KubernetesDependent(informer = @Informer(name = ProxyDisruptionBudget.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyDisruptionBudget extends DisruptionBudget {

    public static final String NAME = "proxy-disruptionbudget";

    public ProxyDisruptionBudget() {
        super(ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }
}
