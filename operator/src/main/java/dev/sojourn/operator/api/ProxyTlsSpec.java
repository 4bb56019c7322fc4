package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** HTTPS at Envoy. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyTlsSpec(
        @Required
        @JsonPropertyDescription("A Secret of type kubernetes.io/tls in this namespace. When its content changes Envoy"
                + " takes it for new connections, and keeps those it has.")
        String secretName,

        @Default("false") @JsonPropertyDescription("Whether plain HTTP is answered with a redirect to HTTPS.")
        Boolean redirect) {

    public ProxyTlsSpec(String secretName, @Nullable Boolean redirect) {
        this.secretName = secretName;
        this.redirect = Objects.requireNonNullElse(redirect, false);
    }
}
