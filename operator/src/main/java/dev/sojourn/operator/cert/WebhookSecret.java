package dev.sojourn.operator.cert;

import dev.sojourn.operator.secret.SecretData;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that the webhook's Secret holds, and what it should hold next. {@code bundle} begins with the CA in use; after a change of CA the
 * old one follows, so that either leaf is trusted while replicas and API servers catch up.
 */
record WebhookSecret(String bundle, String caKey, KeyPairPem leaf) {

    /**
     * Empty while it is not complete.
     *
     * @throws IllegalArgumentException if it holds something else
     */
    static Optional<WebhookSecret> of(@Nullable Map<String, String> data) {
        var secret = KeyPairPem.of(data)
                .flatMap(leaf -> SecretData.text(data, "ca.crt")
                        .flatMap(bundle ->
                                SecretData.text(data, "ca.key").map(caKey -> new WebhookSecret(bundle, caKey, leaf))));
        secret.map(WebhookSecret::bundle).ifPresent(Pem::certificate);
        return secret;
    }

    /** @param metadata as it is stored, once it is: with its version, which only one replica can replace, and its owner */
    Secret object(ObjectMeta metadata) {
        return new SecretBuilder()
                .withMetadata(metadata)
                .withType("Opaque")
                .withData(Map.of(
                        "ca.crt", SecretData.encode(bundle),
                        "ca.key", SecretData.encode(caKey),
                        "tls.crt", SecretData.encode(leaf.certificate()),
                        "tls.key", SecretData.encode(leaf.key())))
                .build();
    }

    /** Renewed when two thirds of a life are over. */
    private static Duration margin(Duration life) {
        return life.dividedBy(3);
    }

    static WebhookSecret first(List<String> dnsNames, Instant now) {
        var ca = Authority.newCa(now);
        return new WebhookSecret(ca.certificate(), ca.key(), Authority.newLeaf(ca, dnsNames, now));
    }

    /**
     * The next step, or empty when nothing is to do. A new CA and a leaf signed by it are two steps: nobody may see the leaf before
     * every API server trusts the CA.
     */
    Optional<WebhookSecret> next(boolean bundleIsPublished, List<String> dnsNames, Instant now) {
        var ca = Pem.certificate(bundle);
        if (endsWithin(ca.getNotAfter(), margin(Authority.CA_LIFE), now)) {
            var newCa = Authority.newCa(now);
            return Optional.of(new WebhookSecret(newCa.certificate() + firstOf(bundle), newCa.key(), leaf));
        }
        var certificate = Pem.certificate(leaf.certificate());
        var isOfOldCa = !certificate.getIssuerX500Principal().equals(ca.getSubjectX500Principal());
        var isDue = endsWithin(certificate.getNotAfter(), margin(Authority.LEAF_LIFE), now);
        return isDue || (isOfOldCa && bundleIsPublished)
                ? Optional.of(new WebhookSecret(
                        bundle, caKey, Authority.newLeaf(new KeyPairPem(bundle, caKey), dnsNames, now)))
                : Optional.empty();
    }

    private static boolean endsWithin(Date end, Duration margin, Instant now) {
        return end.toInstant().minus(margin).isBefore(now);
    }

    private static String firstOf(String bundle) {
        var end = "-----END CERTIFICATE-----";
        return bundle.substring(0, bundle.indexOf(end) + end.length()) + "\n";
    }

    @Override
    public String toString() {
        return "WebhookSecret[leaf until " + Pem.certificate(leaf.certificate()).getNotAfter() + "]";
    }
}
