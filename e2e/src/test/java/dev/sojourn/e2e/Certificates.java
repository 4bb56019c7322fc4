package dev.sojourn.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A Secret of type {@code kubernetes.io/tls}, with one certificate after the other. */
record Certificates(Cluster cluster, String namespace, String secret, Path scratch) {

    /** A certificate of that name, for the loopback. */
    void put(String name) throws IOException {
        var certificate = scratch.resolve("tls.crt");
        var key = scratch.resolve("tls.key");
        Shell.run(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "1",
                "-subj",
                "/CN=" + name,
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-keyout",
                key.toString(),
                "-out",
                certificate.toString());
        cluster.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName(secret)
                        .withNamespace(namespace)
                        .endMetadata()
                        .withType("kubernetes.io/tls")
                        .addToStringData("tls.crt", Files.readString(certificate, UTF_8))
                        .addToStringData("tls.key", Files.readString(key, UTF_8))
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    /** The kubelet looks at a pod's Secrets at least once a minute, and whenever the pod changes. */
    void hurry(String sessionCluster) {
        var pods = cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabel("sojourn.dev/owned-by", sessionCluster)
                .withLabel("app.kubernetes.io/component", "proxy");
        // Not those of before the rollout, which may be gone the next moment.
        pods.list().getItems().stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .forEach(pod -> cluster.client()
                        .resource(pod)
                        .edit(old -> new PodBuilder(old)
                                .editMetadata()
                                .addToAnnotations("test", "hurry")
                                .endMetadata()
                                .build()));
    }

    /** The subject of what is shown to a new connection. */
    String servedAt(int port) throws IOException {
        var address = InetAddress.getLoopbackAddress();
        try (var socket = (SSLSocket) trusting().getSocketFactory().createSocket(address, port)) {
            socket.startHandshake();
            var first = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return first.getSubjectX500Principal().getName();
        }
    }

    /** For certificates that sign themselves. */
    static SSLContext trusting() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Anybody()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has TLS", e);
        }
    }

    private static final class Anybody implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
