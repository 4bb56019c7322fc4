package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/** A Redis-compatible store brought along: Redis 6.2 or later, Valkey, or a managed service. */
@ValidationRule(
        value = "!has(self.caSecret) || self.url.startsWith('rediss')",
        message = "spec.store.external.caSecret: only TLS needs it; write the url with rediss or remove caSecret")
@ValidationRule(
        value = "!has(self.sentinelCredentialsSecret) || self.url.contains('-sentinel://')",
        message = "spec.store.external.sentinelCredentialsSecret: only Sentinels are asked with it;"
                + " write the url with redis-sentinel:// or remove it")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ExternalStoreSpec(
        @Required
        @ValidationRule(
                value = "self.matches('^(rediss?://[^/@?#, ]+(/[0-9]+)?"
                        + "|rediss?-sentinel://[^/@?# ]+#[^/@?# ]+|rediss?-cluster://[^/@?# ]+)$')",
                message =
                        "spec.store.external.url: write redis://host:port, redis-sentinel://host:port,host:port#name or"
                                + " redis-cluster://host:port,host:port, with rediss for TLS,"
                                + " and put user and password into credentialsSecret")
        @JsonPropertyDescription(
                "redis://host:port; redis-sentinel://host:port,host:port#name: the Sentinels that know the"
                        + " primary of that name; redis-cluster://host:port,host:port: some nodes of a cluster. With rediss: TLS.")
        String url,

        @Nullable @JsonPropertyDescription("A Secret of this namespace with the keys username (optional) and password.")
        String credentialsSecret,

        @Nullable @JsonPropertyDescription("The same for the Sentinels. Default: they are asked without a login.")
        String sentinelCredentialsSecret,

        @Nullable
        @JsonPropertyDescription(
                "A Secret of this namespace whose ca.crt signed the store's certificate: no other authority is trusted then."
                        + " Default: the public ones are.")
        String caSecret) {}
