package dev.sojourn.operator.cert;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WebhookSecretTest {

    private static final Instant BIRTH = Instant.parse("2026-01-01T00:00:00Z");
    private static final List<String> NAMES = List.of("sojourn-webhook.sojourn-system.svc");

    private final WebhookSecret first = WebhookSecret.first(NAMES, BIRTH);

    @Test
    void theFirstLeafIsSignedByItsCaForTheService() throws Exception {
        var leaf = Pem.certificate(first.leaf().certificate());
        leaf.verify(Pem.certificate(first.bundle()).getPublicKey());
        assertThat(leaf.getSubjectAlternativeNames()).anyMatch(name -> name.contains(NAMES.get(0)));
    }

    @Test
    void nothingIsDoneWhileTwoThirdsAreNotOver() {
        assertThat(first.next(true, NAMES, after(19))).isEmpty();
    }

    @Test
    void theLeafIsRenewedAfterTwoThirdsOfItsLife() {
        var next = first.next(true, NAMES, after(21)).orElseThrow();
        assertThat(next.bundle()).isEqualTo(first.bundle());
        assertThat(next.leaf()).isNotEqualTo(first.leaf());
        assertThat(next.next(true, NAMES, after(21))).isEmpty();
    }

    @Test
    void aNewCaIsPublishedBeforeALeafIsSignedByIt() {
        var renewed = first.next(true, NAMES, after(244)).orElseThrow();
        assertThat(renewed.bundle()).endsWith(first.bundle().strip() + "\n").isNotEqualTo(first.bundle());
        assertThat(renewed.leaf()).isEqualTo(first.leaf());

        var fresh = new WebhookSecret(renewed.bundle(), renewed.caKey(), youngLeafOfTheOldCa());
        assertThat(fresh.next(false, NAMES, after(244))).isEmpty();
        var signed = fresh.next(true, NAMES, after(244)).orElseThrow();
        assertThatCode(() ->
                        leaf(signed).verify(Pem.certificate(signed.bundle()).getPublicKey()))
                .doesNotThrowAnyException();
        assertThat(signed.next(true, NAMES, after(244))).isEmpty();
    }

    @Test
    void keysAreNotPrinted() {
        assertThat(first.toString() + first.leaf())
                .doesNotContain("PRIVATE KEY")
                .doesNotContain(first.caKey());
    }

    private KeyPairPem youngLeafOfTheOldCa() {
        return Authority.newLeaf(new KeyPairPem(first.bundle(), first.caKey()), NAMES, after(240));
    }

    private static X509Certificate leaf(WebhookSecret secret) {
        return Pem.certificate(secret.leaf().certificate());
    }

    private static Instant after(int days) {
        return BIRTH.plus(Duration.ofDays(days));
    }

    @Test
    void itIsReadAsItWasWritten() {
        assertThat(WebhookSecret.of(first.object(new ObjectMeta()).getData())).contains(first);
        assertThat(WebhookSecret.of(Map.of("tls.crt", encoded(first.leaf().certificate()))))
                .isEmpty();
    }

    @Test
    void aRenewedOneKeepsItsOwnerAndReplacesTheVersionThatWasRead() {
        var metadata = new ObjectMetaBuilder()
                .withName("sojourn-webhook-cert")
                .withResourceVersion("7")
                .addNewOwnerReference()
                .withName("sojourn")
                .withUid("u-1")
                .endOwnerReference()
                .build();
        assertThat(first.object(metadata).getMetadata()).isEqualTo(metadata);
    }

    @Test
    void aCertificateMadeElsewhereIsReadWhenItIsComplete() {
        var ca = Authority.newCa(BIRTH);
        var leaf = Authority.newLeaf(ca, List.of("sojourn-webhook.sojourn-system.svc"), BIRTH);
        assertThat(KeyPairPem.of(Map.of("tls.crt", encoded(leaf.certificate()), "tls.key", encoded(leaf.key()))))
                .contains(leaf);
        assertThat(KeyPairPem.of(null)).isEmpty();
        assertThat(KeyPairPem.of(Map.of("tls.key", encoded(leaf.key())))).isEmpty();
        assertThatThrownBy(() -> KeyPairPem.of(Map.of("tls.crt", encoded("none"), "tls.key", encoded(leaf.key()))))
                .hasMessageContaining("no certificate");
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
