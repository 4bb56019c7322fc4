package dev.sojourn.operator.dependent;

import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;

/** What a pod finds in its file system, and where. */
public final class Volumes {

    private Volumes() {}

    public static Volume configMap(String volume, String configMap) {
        return new VolumeBuilder()
                .withName(volume)
                .withNewConfigMap()
                .withName(configMap)
                .endConfigMap()
                .build();
    }

    public static Volume empty(String volume) {
        return new VolumeBuilder()
                .withName(volume)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }

    public static VolumeMount readOnly(String volume, String path) {
        return new VolumeMountBuilder()
                .withName(volume)
                .withMountPath(path)
                .withReadOnly(true)
                .build();
    }

    public static VolumeMount writable(String volume, String path) {
        return new VolumeMountBuilder().withName(volume).withMountPath(path).build();
    }
}
