package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** Lets the edge do it. */
@KubernetesDependent(informer = @Informer(name = ProxyRoleBinding.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyRoleBinding extends OwnedResource<RoleBinding> {

    public static final String NAME = "proxy-rolebinding";

    public ProxyRoleBinding() {
        super(RoleBinding.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected RoleBinding desired(SessionCluster primary, Context<SessionCluster> context) {
        return new RoleBindingBuilder()
                .withMetadata(metadata(primary))
                .withNewRoleRef()
                .withApiGroup("rbac.authorization.k8s.io")
                .withKind("Role")
                .withName(nameFor(primary))
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(nameFor(primary))
                .withNamespace(primary.getMetadata().getNamespace())
                .endSubject()
                .build();
    }
}
