package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a cluster wants of pods that the operator makes: where they run, and what is written on them. */
@ValidationRule(
        value = "!has(self.labels) || !('" + Names.CLUSTER_LABEL + "' in self.labels)",
        message = "pod.labels: " + Names.CLUSTER_LABEL + " would give these pods a sidecar; remove it")
@JsonInclude(JsonInclude.Include.NON_EMPTY)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PodSettings(
        @JsonPropertyDescription("Beside the operator's own, which come first.")
        Map<String, String> labels,

        @JsonPropertyDescription("Beside the operator's own, which come first.")
        Map<String, String> annotations,

        @JsonPropertyDescription("The labels of nodes that may run them.")
        Map<String, String> nodeSelector,

        @JsonPropertyDescription("The taints of nodes that they put up with.")
        List<Toleration> tolerations,

        @Nullable
        @JsonPropertyDescription(
                "Nodes and neighbours that they want or avoid. Over nodes and zones they are spread anyway.")
        Affinity affinity,

        @Nullable @JsonPropertyDescription("Their PriorityClass. Default: the cluster's default.")
        String priorityClassName,

        @JsonPropertyDescription(
                "The names of Secrets of this namespace, for the registry that their images come from.")
        List<String> imagePullSecrets) {

    public PodSettings(
            @Nullable Map<String, String> labels,
            @Nullable Map<String, String> annotations,
            @Nullable Map<String, String> nodeSelector,
            @Nullable List<Toleration> tolerations,
            @Nullable Affinity affinity,
            @Nullable String priorityClassName,
            @Nullable List<String> imagePullSecrets) {
        this.labels = Map.copyOf(Objects.requireNonNullElse(labels, Map.of()));
        this.annotations = Map.copyOf(Objects.requireNonNullElse(annotations, Map.of()));
        this.nodeSelector = Map.copyOf(Objects.requireNonNullElse(nodeSelector, Map.of()));
        this.tolerations = List.copyOf(Objects.requireNonNullElse(tolerations, List.of()));
        this.affinity = affinity;
        this.priorityClassName = priorityClassName;
        this.imagePullSecrets = List.copyOf(Objects.requireNonNullElse(imagePullSecrets, List.of()));
    }
}
