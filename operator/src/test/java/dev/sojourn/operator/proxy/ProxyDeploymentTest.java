package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProxyDeploymentTest {

    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes";

    /** The Cluster Autoscaler keeps a node for a volume that is on it, and nowhere else. */
    @Test
    void noNodeIsKeptForAVolumeOfAnEnvoy() {
        var template = template("{}");
        assertThat(template.getSpec().getVolumes())
                .filteredOn(volume -> volume.getEmptyDir() != null)
                .extracting(Volume::getName)
                .containsExactly(template.getMetadata().getAnnotations().get(SAFE_TO_EVICT));
    }

    @Test
    void whoHasMoreSuchVolumesNamesThemAll() {
        var template = template("{pod: {annotations: {" + SAFE_TO_EVICT + ": \"xds,istio-data\"}}}");
        assertThat(template.getMetadata().getAnnotations()).containsEntry(SAFE_TO_EVICT, "xds,istio-data");
    }

    private static PodTemplateSpec template(String proxy) {
        var deployment = new ProxyDeployment();
        deployment.config = InPod.with(Map.of());
        return deployment.render(BehindEnvoy.with(proxy)).getSpec().getTemplate();
    }
}
