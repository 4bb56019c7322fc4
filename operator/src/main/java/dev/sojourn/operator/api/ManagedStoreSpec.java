package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import org.jspecify.annotations.Nullable;

/** A Valkey that the operator runs. */
@ValidationRule(
        value = "!(has(self.storage) && has(self.ephemeral) && self.ephemeral)",
        message = "spec.store.managed: set either storage or ephemeral, not both; remove one")
@ValidationRule(
        value =
                "(has(self.ephemeral) && self.ephemeral) == (has(oldSelf.ephemeral) && oldSelf.ephemeral)"
                        + " && has(self.storage) == has(oldSelf.storage) && (!has(self.storage) || self.storage == oldSelf.storage)",
        message = "spec.store.managed: storage and ephemeral cannot change, a StatefulSet's volumes are fixed;"
                + " delete this SessionCluster and make a new one")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ManagedStoreSpec(
        @Nullable @JsonPropertyDescription("Valkey's image. Default: the operator's.")
        String image,

        @Nullable @JsonPropertyDescription("The volume that holds the sessions. Default: 1Gi.")
        StorageSpec storage,

        @Nullable @JsonPropertyDescription("No volume: sessions survive the application's pods, but not the store's.")
        Boolean ephemeral,

        @Nullable @JsonPropertyDescription("Valkey's requests and limits. 70 % of the memory limit may hold sessions.")
        ResourceRequirements resources) {}
