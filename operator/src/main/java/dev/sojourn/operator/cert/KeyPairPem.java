package dev.sojourn.operator.cert;

import dev.sojourn.operator.secret.SecretData;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A certificate and its key, as PEM. */
public record KeyPairPem(String certificate, String key) {

    /**
     * From the data of a Secret of type kubernetes.io/tls; empty while it is not complete.
     *
     * @throws IllegalArgumentException if it holds something else
     */
    static Optional<KeyPairPem> of(@Nullable Map<String, String> data) {
        var pair = SecretData.text(data, "tls.crt")
                .flatMap(certificate -> SecretData.text(data, "tls.key").map(key -> new KeyPairPem(certificate, key)));
        pair.map(KeyPairPem::certificate).ifPresent(Pem::certificate);
        return pair;
    }

    /** Without the key: this ends up in logs. */
    @Override
    public String toString() {
        return "KeyPairPem[" + certificate.length() + " characters of certificate]";
    }
}
