package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.dependent.OwnedResource;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.Informer;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.KubernetesDependent;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.TreeMap;

/** The files that Envoy begins with, and the routes, which the edge brings it whenever they change. */
@KubernetesDependent(informer = @Informer(name = ProxyConfigMap.NAME, labelSelector = ProxyConfigMap.SELECTOR))
public class ProxyConfigMap extends OwnedResource<ConfigMap> {

    public static final String NAME = "proxy-configmap";
    public static final String COMPONENT = "proxy";
    static final String BOOTSTRAP = "envoy.yaml";
    static final String SELECTOR = "app.kubernetes.io/managed-by=sojourn,app.kubernetes.io/component=" + COMPONENT;

    @Inject
    OperatorConfig config;

    public ProxyConfigMap() {
        super(ConfigMap.class, ProxyConfigMap.COMPONENT);
    }

    @Override
    protected String nameFor(SessionCluster primary) {
        return Names.proxy(primary);
    }

    @Override
    protected ConfigMap desired(SessionCluster primary, Context<SessionCluster> context) {
        var data = new TreeMap<>(files(primary, config.ipFamily()));
        data.put(EnvoyRoutes.RDS_FILE, EnvoyRoutes.render(primary.getSpec()));
        return new ConfigMapBuilder()
                .withMetadata(metadata(primary))
                .withData(data)
                .build();
    }

    /** What Envoy reads when it starts, by name; a change rolls its pods. */
    static Map<String, String> files(SessionCluster primary, IpFamily ipFamily) {
        var files = new TreeMap<String, String>();
        files.put(BOOTSTRAP, EnvoyBootstrap.render(primary, ipFamily));
        if (primary.getSpec().proxy().tls() != null) {
            files.put(EnvoyTls.SDS_FILE, EnvoyTls.secrets());
        }
        return files;
    }
}
