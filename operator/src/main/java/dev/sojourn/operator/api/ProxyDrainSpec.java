package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How an Envoy pod ends. */
@ValidationRule(
        value = "!has(self.minimum) || !has(self.deadline) || duration(self.minimum) <= duration(self.deadline)",
        message =
                "spec.proxy.drain.minimum: is longer than spec.proxy.drain.deadline; shorten it, or move the deadline")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyDrainSpec(
        @Default("5s")
        @ValidationRule(
                value = "self.matches('^[0-9]{1,4}s$')",
                message = "spec.proxy.drain.minimum: write whole seconds, such as 5s")
        @JsonPropertyDescription(
                "How long an Envoy that is to end goes on accepting connections at least: until whatever"
                        + " stands in front of it has noticed.")
        String minimum,

        @Default("30s")
        @ValidationRule(
                value = "self.matches('^[1-9][0-9]{0,3}s$')",
                message = "spec.proxy.drain.deadline: write whole seconds, such as 30s")
        @JsonPropertyDescription("When it ends although clients hold connections. It ends earlier once none is left.")
        String deadline) {

    public ProxyDrainSpec(@Nullable String minimum, @Nullable String deadline) {
        this.minimum = Objects.requireNonNullElse(minimum, "5s");
        this.deadline = Objects.requireNonNullElse(deadline, "30s");
    }

    public int deadlineSeconds() {
        return Integer.parseInt(deadline.substring(0, deadline.length() - 1));
    }
}
