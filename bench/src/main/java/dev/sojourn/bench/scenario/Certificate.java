package dev.sojourn.bench.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A key and a self-signed certificate that live as long as the run: who has the file trusts it, nobody else does. */
final class Certificate {
    private static final String PASSWORD = "changeit";

    private final Path keystore;

    Certificate(Path folder) throws IOException, InterruptedException {
        keystore = folder.resolve("keystore.p12");
        Path keytool = Path.of(System.getProperty("java.home"), "bin/keytool");
        String command = keytool
                + " -genkeypair -alias bench -keyalg EC -groupname secp256r1 -dname CN=localhost -ext san=ip:127.0.0.1"
                + " -storetype PKCS12 -storepass " + PASSWORD + " -keystore " + keystore;
        int status = new ProcessBuilder(command.split(" ", -1))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("keytool failed: " + Files.readString(folder.resolve("keytool.log")));
        }
    }

    /** What Tomcats are told of it, by their property. */
    Map<String, String> properties() throws IOException, GeneralSecurityException {
        KeyStore keys = keys();
        Path certificate = keystore.resolveSibling("certificate.pem");
        Path key = keystore.resolveSibling("key.pem");
        pem(certificate, "CERTIFICATE", keys.getCertificate("bench").getEncoded());
        pem(key, "PRIVATE KEY", keys.getKey("bench", PASSWORD.toCharArray()).getEncoded());
        return Map.of(
                "tls.keystore",
                keystore.toString(),
                "tls.certificate",
                certificate.toString(),
                "tls.key",
                key.toString());
    }

    /** RFC 7468: what the native connector reads. */
    private static void pem(Path file, String label, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + text + "\n-----END " + label + "-----\n");
    }

    private KeyStore keys() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keystore)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    SSLContext client() throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("bench", keys().getCertificate("bench"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
