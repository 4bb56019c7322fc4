package dev.sojourn.agent.it;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** One for all servers of a run; signed by nobody, and its users trust no other. */
final class Certificate {
    static final String PASSWORD = "changeit";
    private static final String ALIAS = "tomcat";
    private static final Path KEYSTORE = make();
    private static final SSLContext TRUSTED = trusting();

    private Certificate() {}

    static Path keystore() {
        return KEYSTORE;
    }

    /** Of who trusts this certificate. */
    static SSLContext trusted() {
        return TRUSTED;
    }

    private static Path make() {
        Path keytool = Path.of(System.getProperty("java.home"), "bin/keytool");
        try {
            Path folder = Files.createDirectories(Pods.TARGET.resolve("it").resolve("certificate"));
            Path keystore = folder.resolve("keystore.p12");
            Files.deleteIfExists(keystore);
            String command = keytool + " -genkeypair -alias " + ALIAS + " -keyalg EC -groupname secp256r1"
                    + " -dname CN=localhost -ext san=ip:127.0.0.1 -storetype PKCS12 -storepass " + PASSWORD
                    + " -keystore " + keystore;
            Path log = folder.resolve("keytool.log");
            int status = new ProcessBuilder(command.split(" "))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IllegalStateException("keytool failed: " + Files.readString(log));
            }
            return keystore;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException("no certificate", e);
        }
    }

    private static SSLContext trusting() {
        try (InputStream in = Files.newInputStream(KEYSTORE)) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("the certificate cannot be trusted", e);
        }
    }
}
