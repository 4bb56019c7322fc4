package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What an Envoy pod may talk to. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyNetworkPolicySpec(
        @JsonPropertyDescription(
                "Where the edge reaches the API server, which no selector can name: at these ports, of any address."
                        + " Default: 443 and 6443.")
        List<Integer> apiServerPorts) {

    public ProxyNetworkPolicySpec(@Nullable List<Integer> apiServerPorts) {
        this.apiServerPorts = List.copyOf(Objects.requireNonNullElse(apiServerPorts, List.of(443, 6443)));
    }
}
