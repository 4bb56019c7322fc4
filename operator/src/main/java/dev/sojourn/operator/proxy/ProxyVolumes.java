package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.Volumes;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.ArrayList;
import java.util.List;

/** What an Envoy pod finds in its file system. */
final class ProxyVolumes {

    /** What the edge writes, and Envoy reads. */
    static final String XDS = "xds";

    private ProxyVolumes() {}

    static List<Volume> of(SessionCluster primary) {
        var volumes = new ArrayList<Volume>();
        volumes.add(Volumes.configMap("config", Names.proxy(primary)));
        volumes.add(Volumes.empty(XDS));
        volumes.add(token());
        var tls = primary.getSpec().proxy().tls();
        if (tls != null) {
            volumes.add(new VolumeBuilder()
                    .withName("tls")
                    .withNewSecret()
                    .withSecretName(tls.secretName())
                    .endSecret()
                    .build());
        }
        return volumes;
    }

    static List<VolumeMount> envoy(SessionCluster primary) {
        var mounts = new ArrayList<>(List.of(
                Volumes.readOnly("config", EnvoyTls.CONFIG_DIRECTORY),
                Volumes.readOnly(XDS, EnvoyCluster.ENDPOINTS_DIRECTORY)));
        if (primary.getSpec().proxy().tls() != null) {
            mounts.add(Volumes.readOnly("tls", EnvoyTls.CERTIFICATE_DIRECTORY));
        }
        return mounts;
    }

    static List<VolumeMount> edge() {
        return List.of(
                Volumes.readOnly("config", EnvoyTls.CONFIG_DIRECTORY),
                Volumes.writable(XDS, EnvoyCluster.ENDPOINTS_DIRECTORY),
                Volumes.readOnly("token", "/var/run/secrets/kubernetes.io/serviceaccount"));
    }

    /** Mounted by hand, so that only the edge has the right to ask the API server, and Envoy, which strangers talk to, has not. */
    private static Volume token() {
        return new VolumeBuilder()
                .withName("token")
                .withNewProjected()
                .addNewSource()
                .withNewServiceAccountToken(null, 3607L, "token")
                .endSource()
                .addNewSource()
                .withNewConfigMap()
                .withName("kube-root-ca.crt")
                .addNewItem("ca.crt", null, "ca.crt")
                .endConfigMap()
                .endSource()
                .addNewSource()
                .withNewDownwardAPI()
                .addNewItem()
                .withPath("namespace")
                .withNewFieldRef("v1", "metadata.namespace")
                .endItem()
                .endDownwardAPI()
                .endSource()
                .endProjected()
                .build();
    }
}
