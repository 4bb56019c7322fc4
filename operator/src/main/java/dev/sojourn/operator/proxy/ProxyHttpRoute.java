package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.ProxyExposeSpec;
import dev.sojourn.operator.api.ProxyExposeSpec.HttpRouteSpec;
import dev.sojourn.operator.api.ProxyExposeSpec.ParentRef;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRouteBuilder;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.ParentReference;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.ParentReferenceBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.util.Optional;

/** Leads users of a Gateway to Envoy. */
@KubernetesDependent(informer = @Informer(name = ProxyHttpRoute.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyHttpRoute extends OwnedResource<HTTPRoute> {

    public static final String NAME = "proxy-httproute";

    public ProxyHttpRoute() {
        super(HTTPRoute.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected HTTPRoute desired(SessionCluster primary, Context<SessionCluster> context) {
        return render(primary);
    }

    /** All that the API server would default is written out: it would be taken for a difference otherwise. */
    HTTPRoute render(SessionCluster primary) {
        var spec = wanted(primary).orElseThrow();
        return new HTTPRouteBuilder()
                .withMetadata(metadata(primary))
                .withNewSpec()
                .withParentRefs(
                        spec.parentRefs().stream().map(ProxyHttpRoute::parent).toList())
                .withHostnames(spec.hostnames())
                .addNewRule()
                .addNewMatch()
                .withNewPath()
                .withType("PathPrefix")
                .withValue("/")
                .endPath()
                .endMatch()
                .addNewBackendRef()
                .withGroup("")
                .withKind("Service")
                .withName(Names.proxy(primary))
                .withPort(primary.getSpec().proxy().service().port())
                .withWeight(1)
                .endBackendRef()
                .endRule()
                .endSpec()
                .build();
    }

    private static ParentReference parent(ParentRef ref) {
        return new ParentReferenceBuilder()
                .withGroup("gateway.networking.k8s.io")
                .withKind("Gateway")
                .withName(ref.name())
                .withNamespace(ref.namespace())
                .withSectionName(ref.sectionName())
                .withPort(ref.port())
                .build();
    }

    private static Optional<HttpRouteSpec> wanted(SessionCluster primary) {
        var proxy = primary.getSpec().proxy();
        return Optional.ofNullable(proxy.expose())
                .filter(expose -> proxy.enabled())
                .map(ProxyExposeSpec::httpRoute);
    }

    /** It exists exactly while it is asked for. */
    public static class Wanted implements Condition<HTTPRoute, SessionCluster> {

        @Override
        public boolean isMet(
                DependentResource<HTTPRoute, SessionCluster> dependent,
                SessionCluster primary,
                Context<SessionCluster> context) {
            return wanted(primary).isPresent();
        }
    }
}
