package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** Where the sessions live. */
@ValidationRule(
        value = "!(has(self.managed) && has(self.external))",
        message = "spec.store: set either managed or external, not both; remove one")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoreSpec(
        @Nullable @JsonPropertyDescription("A Valkey that the operator runs. This is the default.")
        ManagedStoreSpec managed,

        @Nullable @JsonPropertyDescription("A Redis-compatible store brought along.")
        ExternalStoreSpec external) {

    public StoreSpec {
        managed = managed == null && external == null ? ManagedStoreSpec.defaults() : managed;
    }
}
