package dev.sojourn.operator.store;

import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.dependent.PolicyPorts;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRuleBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Objects;

/** Only the application's injected pods and the operator reach the store, and it reaches nothing but itself. */
@KubernetesDependent(informer = @Informer(name = StoreNetworkPolicy.NAME, labelSelector = StoreSecret.SELECTOR))
public class StoreNetworkPolicy extends OwnedResource<NetworkPolicy> {

    public static final String NAME = "store-networkpolicy";

    @Inject
    OperatorConfig config;

    public StoreNetworkPolicy() {
        super(NetworkPolicy.class, StoreSecret.COMPONENT);
    }

    @Override
    protected boolean isOnlyKept(SessionCluster primary) {
        return StoreManaged.isOnlyKept(primary);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.store(primary);
    }

    @Override
    protected NetworkPolicy desired(SessionCluster primary, Context<SessionCluster> context) {
        var managed = Objects.requireNonNull(primary.getSpec().store().managed());
        var peers = peer(Names.labels(primary, StoreSecret.COMPONENT));
        var clients = new NetworkPolicyIngressRuleBuilder()
                .withFrom(
                        peer(Map.of(Names.CLUSTER_LABEL, primary.getMetadata().getName())),
                        new NetworkPolicyPeerBuilder()
                                .withNewNamespaceSelector()
                                .withMatchLabels(Map.of("kubernetes.io/metadata.name", config.namespace()))
                                .endNamespaceSelector()
                                .build())
                .withPorts(PolicyPorts.tcp(clientPorts(managed.topology())))
                .build();
        var policy = new NetworkPolicyBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(Names.labels(primary, StoreSecret.COMPONENT))
                .endPodSelector()
                .withPolicyTypes("Ingress", "Egress")
                .withIngress(clients)
                .endSpec();
        if (managed.topology() != Topology.Standalone) {
            var among = PolicyPorts.tcp(Names.STORE_PORT, Names.SENTINEL_PORT, Names.CLUSTER_BUS_PORT);
            policy.editSpec()
                    .addNewIngress()
                    .withFrom(peers)
                    .withPorts(among)
                    .endIngress()
                    .addNewEgress()
                    .withTo(peers)
                    .withPorts(among)
                    .endEgress()
                    // They know each other by name.
                    .addNewEgress()
                    .withPorts(PolicyPorts.dns())
                    .endEgress()
                    .endSpec();
        }
        return policy.build();
    }

    private static int[] clientPorts(Topology topology) {
        return topology == Topology.Replicated
                ? new int[] {Names.STORE_PORT, Names.SENTINEL_PORT}
                : new int[] {Names.STORE_PORT};
    }

    private static NetworkPolicyPeer peer(Map<String, String> labels) {
        return new NetworkPolicyPeerBuilder()
                .withNewPodSelector()
                .withMatchLabels(labels)
                .endPodSelector()
                .build();
    }
}
