package dev.sojourn.bench.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
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

    Path keystore() {
        return keystore;
    }

    SSLContext client() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(keystore)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("bench", keys.getCertificate("bench"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
