package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/** What became of a pod: the pod as it shall be, why it was left alone (if it was), and what its owner should know. */
public record Injection(JsonNode pod, Optional<String> refusal, List<String> warnings) {

    public Injection {
        warnings = List.copyOf(warnings);
    }
}
