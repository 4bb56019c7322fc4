package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** A pod of the managed store, as it was when it was last asked. */
@JsonIgnoreProperties(ignoreUnknown = true)
public record StorePodStatus(
        String name,

        @JsonPropertyDescription("Primary: takes writes. Replica: follows one.")
        Role role,

        @JsonPropertyDescription("Whether it has what its primary has.")
        Boolean inStep) {

    /** What a server of the store is to the others. */
    public enum Role {
        Primary,
        Replica
    }
}
