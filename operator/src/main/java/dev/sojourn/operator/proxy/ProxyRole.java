package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;

/** What the edge may do: look at pods, and at Envoy's configuration. */
@KubernetesDependent(informer = @Informer(name = ProxyRole.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyRole extends OwnedResource<Role> {

    public static final String NAME = "proxy-role";

    public ProxyRole() {
        super(Role.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected Role desired(SessionCluster primary, Context<SessionCluster> context) {
        return new RoleBuilder()
                .withMetadata(metadata(primary))
                .addNewRule()
                .withApiGroups("")
                .withResources("pods")
                .withVerbs("get", "list", "watch")
                .endRule()
                .addNewRule()
                .withApiGroups("")
                .withResources("configmaps")
                .withResourceNames(nameFor(primary))
                .withVerbs("get", "list", "watch")
                .endRule()
                .build();
    }
}
