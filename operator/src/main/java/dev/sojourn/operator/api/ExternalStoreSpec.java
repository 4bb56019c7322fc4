package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** A Redis-compatible store brought along: Redis 6.2 or later, Valkey, or a managed service. */
@ValidationRule(
        value = "!has(self.caSecret) || self.url.startsWith('rediss://')",
        message = "spec.store.external.caSecret: only TLS needs it; write the url with rediss:// or remove caSecret")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExternalStoreSpec(
        @Required
        @ValidationRule(
                value = "self.matches('^rediss?://[^/@?# ]+(/[0-9]+)?$')",
                message = "spec.store.external.url: write redis://host:port or rediss://host:port,"
                        + " and put user and password into credentialsSecret")
        @JsonPropertyDescription("redis://host:port, or rediss://host:port for TLS.")
        String url,

        @Nullable @JsonPropertyDescription("A Secret of this namespace with the keys username (optional) and password.")
        String credentialsSecret,

        @Nullable @JsonPropertyDescription("A Secret of this namespace whose ca.crt signed the store's certificate.")
        String caSecret) {}
