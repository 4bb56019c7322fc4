package dev.sojourn.operator.secret;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.Secret;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The texts in a Secret, which Kubernetes keeps in Base64. */
public final class SecretData {

    private SecretData() {}

    /** @throws IllegalArgumentException if it is no Base64 */
    public static Optional<String> text(Secret secret, String key) {
        return text(secret.getData(), key);
    }

    /** @throws IllegalArgumentException if it is no Base64 */
    public static Optional<String> text(@Nullable Map<String, String> data, String key) {
        return Optional.ofNullable(data == null ? null : data.get(key))
                .map(value -> new String(Base64.getDecoder().decode(value), UTF_8));
    }

    public static String encode(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
