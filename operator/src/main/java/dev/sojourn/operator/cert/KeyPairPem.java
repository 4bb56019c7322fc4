package dev.sojourn.operator.cert;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
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
        if (data == null || !data.containsKey("tls.crt") || !data.containsKey("tls.key")) {
            return Optional.empty();
        }
        var decoder = Base64.getDecoder();
        var pair = new KeyPairPem(
                new String(decoder.decode(data.get("tls.crt")), UTF_8),
                new String(decoder.decode(data.get("tls.key")), UTF_8));
        Authority.parse(pair.certificate());
        return Optional.of(pair);
    }

    /** Without the key: this ends up in logs. */
    @Override
    public String toString() {
        return "KeyPairPem[" + certificate.length() + " characters of certificate]";
    }
}
