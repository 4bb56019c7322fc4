package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where users come in. */
@KubernetesDependent(informer = @Informer(name = ProxyService.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyService extends OwnedResource<Service> {

    public static final String NAME = "proxy-service";

    public ProxyService() {
        super(Service.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected Service desired(SessionCluster primary, Context<SessionCluster> context) {
        return render(primary);
    }

    Service render(SessionCluster primary) {
        var spec = primary.getSpec().proxy().service();
        var ports = new ArrayList<>(List.of(port("http", spec.port(), spec.nodePort())));
        if (primary.getSpec().proxy().tls() != null) {
            ports.add(port("https", spec.httpsPort(), spec.httpsNodePort()));
        }
        return new ServiceBuilder()
                .withMetadata(metadata(primary))
                .editMetadata()
                .withAnnotations(spec.annotations())
                .endMetadata()
                .withNewSpec()
                .withType(spec.type().name())
                .withSelector(Names.labels(primary, ProxyConfigMap.COMPONENT))
                .withPorts(ports)
                .withExternalTrafficPolicy(Objects.toString(spec.externalTrafficPolicy(), null))
                .withLoadBalancerClass(spec.loadBalancerClass())
                .withLoadBalancerSourceRanges(spec.loadBalancerSourceRanges())
                .endSpec()
                .build();
    }

    private static ServicePort port(String name, int port, @Nullable Integer nodePort) {
        return new ServicePortBuilder()
                .withName(name)
                .withProtocol("TCP")
                .withPort(port)
                .withNewTargetPort(name)
                .withNodePort(nodePort)
                .build();
    }
}
