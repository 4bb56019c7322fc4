package dev.sojourn.operator.dependent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.PodSettings;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class SettledPodsTest {

    private static final PodTemplateSpec OURS = Serialization.unmarshal("""
            ---
            metadata:
              labels: {app: store}
              annotations: {checksum: "1"}
            spec:
              containers: [{name: valkey}]
            """, PodTemplateSpec.class);

    @Test
    void withoutSettingsTheTemplateIsAsItWas() {
        assertThat(SettledPods.of(OURS, null)).isEqualTo(OURS);
        assertThat(Serialization.asYaml(SettledPods.of(OURS, settings("{}")))).isEqualTo(Serialization.asYaml(OURS));
    }

    @Test
    void whatIsSetIsInTheTemplateAndWhatIsOursStaysSo() {
        var settled = SettledPods.of(OURS, settings("""
                labels: {app: theirs, team: shop}
                annotations: {checksum: "2", backup: "no"}
                nodeSelector: {disk: ssd}
                tolerations: [{key: dedicated, operator: Exists}]
                affinity: {nodeAffinity: {}}
                priorityClassName: high
                imagePullSecrets: [registry]
                """));
        assertThat(settled).isEqualTo(Serialization.unmarshal("""
                ---
                metadata:
                  labels: {app: store, team: shop}
                  annotations: {checksum: "1", backup: "no"}
                spec:
                  containers: [{name: valkey}]
                  nodeSelector: {disk: ssd}
                  tolerations: [{key: dedicated, operator: Exists}]
                  affinity: {nodeAffinity: {}}
                  priorityClassName: high
                  imagePullSecrets: [{name: registry}]
                """, PodTemplateSpec.class));
    }

    private static PodSettings settings(String yaml) {
        return Serialization.unmarshal("---\n" + yaml, PodSettings.class);
    }
}
