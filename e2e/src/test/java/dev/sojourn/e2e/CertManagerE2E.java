package dev.sojourn.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("cert-manager keeps the webhook's certificate")
class CertManagerE2E extends ThirdParty {
    private static final String NAMESPACE = "e2e-cert-manager";
    private static final String SECRET = "sojourn-webhook-tls";
    private static final int WEBHOOK_PORT = 9443;

    @BeforeAll
    void start() {
        Shell.run(
                "helm",
                "upgrade",
                "--install",
                "cert-manager",
                Cluster.TOP.resolve("build/third-party/cert-manager").toString(),
                "--namespace=" + NAMESPACE,
                "--create-namespace",
                "--set=crds.enabled=true,crds.keep=false,startupapicheck.enabled=false",
                "--set=global.leaderElection.namespace=" + NAMESPACE,
                "--wait",
                "--timeout=5m");
        shop.deployApplication();
        cluster.install(Cluster.CHART, "--set=webhook.certManager.enabled=true");
        awaitCertificateInUse("");
    }

    @Override
    void takeAway() {
        // What our Certificates made has no owner.
        for (String made : List.of(SECRET, "sojourn-webhook-ca")) {
            cluster.client()
                    .secrets()
                    .inNamespace(Cluster.SYSTEM)
                    .withName(made)
                    .delete();
        }
        Shell.run("helm", "uninstall", "cert-manager", "--namespace=" + NAMESPACE, "--wait", "--timeout=3m");
        cluster.deleteNamespace(NAMESPACE);
    }

    @Test
    @DisplayName("pods are injected by it, and by the next one, while 20 users click and every pod is replaced")
    void renewed() throws Exception {
        assertThat(secret().getMetadata().getAnnotations())
                .containsEntry("cert-manager.io/issuer-name", "sojourn-webhook");
        shop.makeSessionAware();
        assertThat(shop.pods()).isNotEmpty().allMatch(Shop::isInjected);
        String before = certificate();
        List<String> podsBefore = uids();

        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            cluster.client()
                    .secrets()
                    .inNamespace(Cluster.SYSTEM)
                    .withName(SECRET)
                    .delete();
            awaitCertificateInUse(before);
            shop.restart();
            shop.awaitRolledOut();
            load.awaitClicks();
            Verdict.nobodyNoticed("webhook's certificate renewed by cert-manager", load.stop());
        }
        assertThat(uids()).doesNotContainAnyElementsOf(podsBefore);
        assertThat(shop.pods()).isNotEmpty().allMatch(Shop::isInjected);
        assertThat(shop.condition("InjectionReady")).startsWith("True");
    }

    /** Every operator shows it, and API servers are told to trust who signed it. */
    private void awaitCertificateInUse(String otherThan) {
        await("another certificate than before is in use")
                .atMost(Cluster.seconds(180))
                .pollInterval(Cluster.seconds(1))
                // Said here it takes the place of what is ignored by default.
                .ignoreExceptionsMatching(e -> e instanceof IOException || e instanceof KubernetesClientException)
                .until(() -> {
                    var stored = secret();
                    return stored != null
                            && !certificate().isEmpty()
                            && !certificate().equals(otherThan)
                            && isTrusted(stored.getData().get("ca.crt"))
                            && everyOperatorShows(certificate());
                });
    }

    private boolean everyOperatorShows(String certificate) throws IOException {
        for (Pod pod : operators()) {
            String target = "pod/" + pod.getMetadata().getName();
            try (var forward = PortForward.to(Cluster.SYSTEM, target, WEBHOOK_PORT)) {
                if (!certificate.equals(
                        Certificates.pemServedAt(forward.address().getPort()))) {
                    return false;
                }
            }
        }
        return true;
    }

    private List<Pod> operators() {
        return cluster
                .client()
                .pods()
                .inNamespace(Cluster.SYSTEM)
                .withLabel("app.kubernetes.io/component", "operator")
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    private Secret secret() {
        return cluster.client()
                .secrets()
                .inNamespace(Cluster.SYSTEM)
                .withName(SECRET)
                .get();
    }

    /** The first in the Secret, or an empty text: those of CAs follow. */
    private String certificate() {
        var secret = secret();
        String encoded = secret == null ? null : secret.getData().get("tls.crt");
        return encoded == null ? "" : Certificates.first(text(encoded));
    }

    private boolean isTrusted(@Nullable String authority) {
        return authority != null && caBundle().contains(text(authority));
    }

    /** cert-manager adds to what it finds, so that certificates of before are trusted still. */
    private String caBundle() {
        String bundle = cluster.client()
                .admissionRegistration()
                .v1()
                .mutatingWebhookConfigurations()
                .withName("sojourn")
                .get()
                .getWebhooks()
                .get(0)
                .getClientConfig()
                .getCaBundle();
        return bundle == null ? "" : text(bundle);
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), UTF_8).trim();
    }

    private List<String> uids() {
        return shop.pods().stream().map(pod -> pod.getMetadata().getUid()).toList();
    }
}
