package dev.sojourn.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A Secret of type {@code kubernetes.io/tls}, with one certificate after the other. */
record Certificates(Cluster cluster, String namespace, String secret, Path scratch) {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String END = "-----END CERTIFICATE-----";

    /** A certificate of that name, for the loopback. */
    void put(String name) throws IOException {
        put(name, "IP:127.0.0.1");
    }

    /**
     * A certificate of that name. It signs itself, so that it is its own authority.
     *
     * @param server what it is for, as in {@code DNS:shop.example}
     */
    void put(String name, String server) throws IOException {
        put(name, server, false);
    }

    /** @param authority whether it may sign others: some clients take such a certificate for nobody's but the authority's */
    void put(String name, String server, boolean authority) throws IOException {
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
                "subjectAltName=" + server,
                "-addext",
                "basicConstraints=CA:" + (authority ? "TRUE" : "FALSE"),
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
                        .addToStringData("ca.crt", Files.readString(certificate, UTF_8))
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
        return shownAt(port).getSubjectX500Principal().getName();
    }

    /** What is shown to a new connection, as a file has it. */
    static String pemServedAt(int port) throws IOException {
        try {
            var lines = Base64.getMimeEncoder(64, new byte[] {'\n'});
            return BEGIN + "\n" + lines.encodeToString(shownAt(port).getEncoded()) + "\n" + END;
        } catch (CertificateEncodingException e) {
            throw new IOException("what is shown at port " + port + " is no certificate", e);
        }
    }

    /** The first certificate of a file, without a line's end. */
    static String first(String pem) {
        int end = pem.indexOf(END);
        return end < 0 ? "" : pem.substring(pem.indexOf(BEGIN), end + END.length());
    }

    private static X509Certificate shownAt(int port) throws IOException {
        var address = InetAddress.getLoopbackAddress();
        try (var socket = (SSLSocket) trusting().getSocketFactory().createSocket(address, port)) {
            socket.startHandshake();
            return (X509Certificate) socket.getSession().getPeerCertificates()[0];
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
