package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** A second store, while sessions move from one to the other. */
@ValidationRule(
        value = "(has(self.managed) && self.managed) != has(self.external)",
        message = "spec.store.next and spec.store.previous: set either managed: true or external in it")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record OtherStoreSpec(
        @Nullable @JsonPropertyDescription("It is the one of spec.store.managed, which the operator runs.")
        Boolean managed,

        @Nullable @JsonPropertyDescription("A Redis-compatible store brought along.")
        ExternalStoreSpec external) {

    boolean isManaged() {
        return managed != null && managed;
    }
}
