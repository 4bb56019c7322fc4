package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The volume that holds the sessions. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StorageSpec(
        @Default("1Gi")
        @ValidationRule(
                value = "self.matches('^[1-9][0-9]*(Mi|Gi|Ti)$')",
                message = "spec.store.managed.storage.size: write a whole number of Mi, Gi or Ti, such as 1Gi")
        @JsonPropertyDescription("The volume's size. It can grow, if the storage class lets it.")
        String size,

        @Nullable @JsonPropertyDescription("The storage class. Default: the cluster's.")
        String storageClassName) {

    public StorageSpec(@Nullable String size, @Nullable String storageClassName) {
        this.size = Objects.requireNonNullElse(size, "1Gi");
        this.storageClassName = storageClassName;
    }
}
