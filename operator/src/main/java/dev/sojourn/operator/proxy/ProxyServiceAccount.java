package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** Who the edge is, seen from the API server. */
@KubernetesDependent(informer = @Informer(name = ProxyServiceAccount.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyServiceAccount extends OwnedResource<ServiceAccount> {

    public static final String NAME = "proxy-serviceaccount";

    public ProxyServiceAccount() {
        super(ServiceAccount.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected ServiceAccount desired(SessionCluster primary, Context<SessionCluster> context) {
        return new ServiceAccountBuilder()
                .withMetadata(metadata(primary))
                .withAutomountServiceAccountToken(false)
                .build();
    }
}
