package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.inject.SidecarSpec;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPortBuilder;
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
 */
@KubernetesDependent(informer = @Informer(name = ProxyNetworkPolicy.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyNetworkPolicy extends OwnedResource<NetworkPolicy> {

    public static final String NAME = "proxy-networkpolicy";

    private static final int DNS = 53;

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
                .withPorts(port("TCP", primary.getSpec().port()), port("TCP", SidecarSpec.HTTP_PORT))
                .endEgress()
                .addNewEgress()
                .withPorts(port("UDP", DNS), port("TCP", DNS))
                .endEgress()
                .addNewEgress()
                .withPorts(spec.apiServerPorts().stream()
                        .map(number -> port("TCP", number))
                        .toList())
                .endEgress()
                .endSpec()
                .build();
    }

    private static List<NetworkPolicyPort> served(SessionCluster primary) {
        var ports = new ArrayList<>(List.of(port("TCP", EnvoyListener.HTTP_PORT)));
        if (primary.getSpec().proxy().tls() != null) {
            ports.add(port("TCP", EnvoyListener.HTTPS_PORT));
        }
        ports.add(port("TCP", ProxyContainers.EDGE_PORT));
        ports.add(port("TCP", EnvoyListener.READY_PORT));
        return ports;
    }

    private static NetworkPolicyPort port(String protocol, int number) {
        return new NetworkPolicyPortBuilder()
                .withProtocol(protocol)
                .withPort(new IntOrString(number))
                .build();
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
