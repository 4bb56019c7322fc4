package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What happens to a pod's users when the pod is to go. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record DrainSpec(
        @Default("Immediate")
        @JsonPropertyDescription(
                "Immediate: the next request goes to another pod. Sticky: with proxy.stickiness"
                        + " Cookie, users of the pod stay until the deadline, and others no longer come; for applications that hold what cannot be serialized.")
        Mode mode,

        @Default("10s")
        @ValidationRule(
                value = "self.matches('^[1-9][0-9]{0,3}s$')",
                message = "spec.drain.deadline: write whole seconds, such as 10s")
        @JsonPropertyDescription(
                "How long requests in flight may hold up the end of a pod; with Sticky, how long it stays. It is part of"
                        + " the pod's terminationGracePeriodSeconds, at whose end Kubernetes kills it.")
        String deadline) {

    public DrainSpec(@Nullable Mode mode, @Nullable String deadline) {
        this.mode = Objects.requireNonNullElse(mode, Mode.Immediate);
        this.deadline = Objects.requireNonNullElse(deadline, "10s");
    }

    /** Where a draining pod's users go. */
    public enum Mode {
        Immediate,
        Sticky
    }
}
