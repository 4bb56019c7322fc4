package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an Envoy pod may talk to. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyNetworkPolicySpec(
        @ValidationRule(
                value = "self.all(port, port >= 1 && port <= 65535)",
                message = "spec.proxy.networkPolicy.apiServerPorts: a port is a number from 1 to 65535")
        @JsonPropertyDescription(
                "Where the edge reaches the API server, which no selector can name: at these ports, of any address."
                        + " Default: 443 and 6443.")
        List<Integer> apiServerPorts) {

    public ProxyNetworkPolicySpec(@Nullable List<Integer> apiServerPorts) {
        // A rule without ports is one for all of them, and without an address for all of those: none closes nothing.
        this.apiServerPorts =
                apiServerPorts == null || apiServerPorts.isEmpty() ? List.of(443, 6443) : List.copyOf(apiServerPorts);
    }
}
