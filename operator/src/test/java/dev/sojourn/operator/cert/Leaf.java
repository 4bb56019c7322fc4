package dev.sojourn.operator.cert;

import java.time.Instant;
import java.util.List;

/** A certificate as the operator makes them, for the servers of other packages' tests. */
public final class Leaf {

    private Leaf() {}

    public static KeyPairPem of(String dnsName) {
        return WebhookSecret.first(List.of(dnsName), Instant.now()).leaf();
    }
}
