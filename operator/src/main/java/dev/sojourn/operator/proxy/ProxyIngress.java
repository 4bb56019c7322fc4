package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.ProxyExposeSpec;
import dev.sojourn.operator.api.ProxyExposeSpec.IngressSpec;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.IngressBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.IngressTLS;
import io.fabric8.kubernetes.api.model.networking.v1.IngressTLSBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.util.List;
import java.util.Optional;

/** Leads users of an Ingress controller to Envoy. */
@KubernetesDependent(informer = @Informer(name = ProxyIngress.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyIngress extends OwnedResource<Ingress> {

    public static final String NAME = "proxy-ingress";

    public ProxyIngress() {
        super(Ingress.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected Ingress desired(SessionCluster primary, Context<SessionCluster> context) {
        return render(primary);
    }

    Ingress render(SessionCluster primary) {
        var spec = wanted(primary).orElseThrow();
        return new IngressBuilder()
                .withMetadata(metadata(primary))
                .editMetadata()
                .withAnnotations(spec.annotations())
                .endMetadata()
                .withNewSpec()
                .withIngressClassName(spec.className())
                .addNewRule()
                .withHost(spec.host())
                .withNewHttp()
                .addNewPath()
                .withPath("/")
                .withPathType("Prefix")
                .withNewBackend()
                .withNewService()
                .withName(Names.proxy(primary))
                .withNewPort()
                .withName("http")
                .endPort()
                .endService()
                .endBackend()
                .endPath()
                .endHttp()
                .endRule()
                .withTls(tls(spec))
                .endSpec()
                .build();
    }

    private static List<IngressTLS> tls(IngressSpec spec) {
        return spec.tlsSecret() == null
                ? List.of()
                : List.of(new IngressTLSBuilder()
                        .withHosts(Optional.ofNullable(spec.host()).stream().toList())
                        .withSecretName(spec.tlsSecret())
                        .build());
    }

    private static Optional<IngressSpec> wanted(SessionCluster primary) {
        var proxy = primary.getSpec().proxy();
        return Optional.ofNullable(proxy.expose())
                .filter(expose -> proxy.enabled())
                .map(ProxyExposeSpec::ingress);
    }

    /** It exists exactly while it is asked for. */
    public static class Wanted implements Condition<Ingress, SessionCluster> {

        @Override
        public boolean isMet(
                DependentResource<Ingress, SessionCluster> dependent,
                SessionCluster primary,
                Context<SessionCluster> context) {
            return wanted(primary).isPresent();
        }
    }
}
