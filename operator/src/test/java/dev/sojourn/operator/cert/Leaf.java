package dev.sojourn.operator.cert;

import java.time.Instant;
import java.util.List;

/**
 * A certificate as the operator makes them, for the servers of other packages' tests.
 *
 * @param authority the certificate of who has signed it
 */
public record Leaf(KeyPairPem pair, String authority) {

    public static Leaf of(String dnsName) {
        var secret = WebhookSecret.first(List.of(dnsName), Instant.now());
        return new Leaf(secret.leaf(), secret.bundle());
    }
}
