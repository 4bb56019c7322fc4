package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.dependent.PolicyPorts;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Envoy pods are reached at their ports, and reach the application, DNS and the API server. Only if asked for: policies add up, so that
 * one where there was none closes what users had open, and one beside a stricter one opens what they had closed.
 *
 * <p>The application's pods at any port: where its port changes, Envoys of before go on with the old one, and the policy is theirs too.
 */
@KubernetesDependent(informer = @Informer(name = ProxyNetworkPolicy.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyNetworkPolicy extends OwnedResource<NetworkPolicy> {

    public static final String NAME = "proxy-networkpolicy";

    public ProxyNetworkPolicy() {
        super(NetworkPolicy.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected NetworkPolicy desired(SessionCluster primary, Context<SessionCluster> context) {
        return render(primary);
    }

    NetworkPolicy render(SessionCluster primary) {
        var spec = Objects.requireNonNull(primary.getSpec().proxy().networkPolicy());
        return new NetworkPolicyBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withNewPodSelector()
                .withMatchLabels(Names.labels(primary, ProxyConfigMap.COMPONENT))
                .endPodSelector()
                .withPolicyTypes("Ingress", "Egress")
                .addNewIngress()
                .withPorts(served(primary))
                .endIngress()
                .addNewEgress()
                .addNewTo()
                .withNewPodSelector()
                .withMatchLabels(
                        Map.of(Names.CLUSTER_LABEL, primary.getMetadata().getName()))
                .endPodSelector()
                .endTo()
                .endEgress()
                .addNewEgress()
                .withPorts(PolicyPorts.dns())
                .endEgress()
                .addNewEgress()
                .withPorts(PolicyPorts.tcp(spec.apiServerPorts().stream()
                        .mapToInt(Integer::intValue)
                        .toArray()))
                .endEgress()
                .endSpec()
                .build();
    }

    private static List<NetworkPolicyPort> served(SessionCluster primary) {
        var ports = new ArrayList<>(PolicyPorts.tcp(EnvoyListener.HTTP_PORT));
        if (primary.getSpec().proxy().tls() != null) {
            ports.addAll(PolicyPorts.tcp(EnvoyListener.HTTPS_PORT));
        }
        ports.addAll(PolicyPorts.tcp(ProxyContainers.EDGE_PORT, EnvoyListener.READY_PORT));
        return ports;
    }

    /** It exists exactly while it is asked for. */
    public static class Wanted implements Condition<NetworkPolicy, SessionCluster> {

        @Override
        public boolean isMet(
                DependentResource<NetworkPolicy, SessionCluster> dependent,
                SessionCluster primary,
                Context<SessionCluster> context) {
            var proxy = primary.getSpec().proxy();
            return proxy.enabled() && proxy.networkPolicy() != null;
        }
    }
}
