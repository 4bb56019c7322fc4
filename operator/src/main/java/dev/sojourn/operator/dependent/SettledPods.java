package dev.sojourn.operator.dependent;

import dev.sojourn.operator.api.PodSettings;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings what a SessionCluster says of our pods into their template. */
public final class SettledPods {

    private SettledPods() {}

    /** What nobody has set is not written at all: the API server's defaults would be taken for a difference. */
    public static PodTemplateSpec of(PodTemplateSpec template, @Nullable PodSettings settings) {
        if (settings == null) {
            return template;
        }
        var ours = template.getMetadata();
        var pod = new PodTemplateSpecBuilder(template)
                .editMetadata()
                .withLabels(merged(settings.labels(), ours.getLabels()))
                .withAnnotations(merged(settings.annotations(), ours.getAnnotations()))
                .endMetadata()
                .editSpec()
                .withTolerations(settings.tolerations())
                .withAffinity(settings.affinity())
                .withPriorityClassName(settings.priorityClassName())
                .withImagePullSecrets(settings.imagePullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList());
        if (!settings.nodeSelector().isEmpty()) {
            pod.withNodeSelector(settings.nodeSelector());
        }
        return pod.endSpec().build();
    }

    /** Services, budgets and policies find our pods by our labels. */
    private static Map<String, String> merged(Map<String, String> theirs, @Nullable Map<String, String> ours) {
        var merged = new HashMap<>(theirs);
        if (ours != null) {
            merged.putAll(ours);
        }
        return merged;
    }
}
