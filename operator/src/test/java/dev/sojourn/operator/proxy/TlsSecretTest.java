package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.status.Finding;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsSecretTest {

    private final Map<String, String> data = secret(ServerCertificate.Kind.EC);

    @ParameterizedTest
    @EnumSource
    void aCertificateAndItsKeyAreFine(ServerCertificate.Kind kind) {
        assertThat(TlsSecret.trouble("shop", secret(kind))).isEmpty();
    }

    @Test
    void aMissingSecretIsAwaitedAndTheMessageSaysHowToMakeIt() {
        assertThat(TlsSecret.trouble("shop", null)).get().satisfies(trouble -> {
            assertThat(trouble.reason()).isEqualTo("TlsSecretNotFound");
            assertThat(trouble.message()).contains("kubectl create secret tls shop");
        });
    }

    @Test
    void aMissingKeyIsNamed() {
        data.remove("tls.key");
        assertThat(trouble()).hasValueSatisfying(message -> assertThat(message).contains("no key tls.key"));
    }

    @Test
    void whatIsNoCertificateIsNamed() {
        data.put("tls.crt", base64("nonsense"));
        assertThat(trouble()).hasValueSatisfying(message -> assertThat(message).contains("tls.crt is no certificate"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"MIIB", "MII*", "AAAA"})
    void aBrokenCertificateIsNamedWhereverItStands(String bytes) {
        var broken = "-----BEGIN CERTIFICATE-----\n" + bytes + "\n-----END CERTIFICATE-----\n";
        var own = SecretData.text(data, "tls.crt").orElseThrow();
        for (var chain :
                List.of(broken, own + broken, own + own + broken, own + "-----BEGIN CERTIFICATE-----\nMIIB\n")) {
            data.put("tls.crt", base64(chain));
            assertThat(trouble())
                    .hasValueSatisfying(message -> assertThat(message).contains("tls.crt"));
        }
    }

    @Test
    void theIssuersMayFollowAndWhatIsBetweenThemIsNoMatter() {
        var own = SecretData.text(data, "tls.crt").orElseThrow();
        var issuer = ServerCertificate.make(ServerCertificate.Kind.EC, "issuer");
        data.put(
                "tls.crt", base64("subject=shop\n" + own + "\nsubject=issuer\n" + issuer.certificate() + issuer.key()));
        assertThat(TlsSecret.trouble("shop", data)).isEmpty();
    }

    @Test
    void whatIsNoKeyIsNamed() {
        var broken = base64("-----BEGIN PRIVATE KEY-----\nMII*\n-----END PRIVATE KEY-----\n");
        for (var key : List.of(data.get("tls.crt"), broken)) {
            data.put("tls.key", key);
            assertThat(trouble())
                    .hasValueSatisfying(
                            message -> assertThat(message).contains("tls.key is no unencrypted private key"));
        }
    }

    @Test
    void anotherCertificatesKeyIsRefused() {
        data.put("tls.key", secret(ServerCertificate.Kind.EC).get("tls.key"));
        assertThat(trouble()).hasValueSatisfying(message -> assertThat(message).contains("not the key of the first"));
        data.put("tls.key", secret(ServerCertificate.Kind.RSA).get("tls.key"));
        assertThat(trouble()).hasValueSatisfying(message -> assertThat(message).contains("not the key of the first"));
    }

    @Test
    void aKeyThatEnvoyFindsTooShortIsRefused() {
        var made = ServerCertificate.make(ServerCertificate.Kind.RSA, 1024, "shop");
        data.put("tls.crt", base64(made.certificate()));
        data.put("tls.key", base64(made.key()));
        assertThat(trouble()).hasValueSatisfying(message -> assertThat(message).contains("1024 bits", "2048"));
    }

    private Optional<String> trouble() {
        return TlsSecret.trouble("shop", data)
                .filter(trouble -> trouble.reason().equals("TlsSecretInvalid"))
                .map(Finding::message);
    }

    private static Map<String, String> secret(ServerCertificate.Kind kind) {
        var made = ServerCertificate.make(kind, "shop");
        return new HashMap<>(Map.of("tls.crt", base64(made.certificate()), "tls.key", base64(made.key())));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
