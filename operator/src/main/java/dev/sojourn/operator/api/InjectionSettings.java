package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a SessionCluster that ends up in an injected pod, and nothing else: its hash rolls the pods. The sidecar's image is
 * left out on purpose, so that an upgrade of the operator restarts nobody's application; pods take the new image when they next start.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record InjectionSettings(
        String cluster,
        @Nullable String container,
        int port,
        String mode,
        String storeUrl,
        @Nullable String credentialsSecret,
        @Nullable String caSecret,
        String drainDeadline,
        @Nullable String agentSettings) {

    public static InjectionSettings of(SessionCluster sessionCluster) {
        var meta = sessionCluster.getMetadata();
        var spec = sessionCluster.getSpec();
        var external = spec.store().external();
        return new InjectionSettings(
                meta.getNamespace() + "." + meta.getName(),
                spec.container(),
                spec.port(),
                spec.replication().mode().name(),
                external != null ? external.url() : Names.storeUrl(sessionCluster),
                external != null ? external.credentialsSecret() : Names.store(sessionCluster),
                external != null ? external.caSecret() : null,
                spec.drain().deadline(),
                spec.agent().settings());
    }

    /** Ten hexadecimal digits: short enough to read in a pod's annotations, and a collision would need two specs of one user. */
    public String hash() {
        // A record's toString is every component in order; a new component is meant to change the hash.
        return sha256(toString()).substring(0, 10);
    }

    public boolean hasSameStore(InjectionSettings other) {
        return storeUrl.equals(other.storeUrl)
                && Objects.equals(credentialsSecret, other.credentialsSecret)
                && Objects.equals(caSecret, other.caSecret);
    }

    public static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
