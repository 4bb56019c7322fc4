package dev.sojourn.operator.store;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;

/** Only the application's injected pods and the operator reach the store, and it reaches nothing. */
@KubernetesDependent(informer = @Informer(name = StoreNetworkPolicy.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreNetworkPolicy extends OwnedResource<NetworkPolicy> {

    public static final String NAME = "store-networkpolicy";

    @Inject
    OperatorConfig config;

    public StoreNetworkPolicy() {
        super(NetworkPolicy.class, StoreSecret.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    protected NetworkPolicy desired(SessionCluster primary, Context<SessionCluster> context) {
        return new NetworkPolicyBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .endPodSelector()
                .withPolicyTypes("Ingress", "Egress")
                .addNewIngress()
                .addNewFrom()
                .withNewPodSelector()
                .withMatchLabels(
                        Map.of(Names.CLUSTER_LABEL, primary.getMetadata().getName()))
                .endPodSelector()
                .endFrom()
                .addNewFrom()
                .withNewNamespaceSelector()
                .withMatchLabels(Map.of("kubernetes.io/metadata.name", config.namespace()))
                .endNamespaceSelector()
                .endFrom()
                .addNewPort()
                .withPort(new IntOrString(Names.STORE_PORT))
                .withProtocol("TCP")
                .endPort()
                .endIngress()
                .endSpec()
                .build();
    }
}
