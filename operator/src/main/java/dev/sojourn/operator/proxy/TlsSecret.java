package dev.sojourn.operator.proxy;

import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.status.Finding;
import java.io.IOException;
import java.io.StringReader;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Map;
import java.util.Optional;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.jspecify.annotations.Nullable;

/**
 * Whether a Secret can be Envoy's certificate. Looked at before Envoy gets it: the kubelet starts no pod whose Secret is missing, and
 * Envoy does not listen with a certificate that it cannot read.
 */
public final class TlsSecret {

    public static final String CERTIFICATE = "tls.crt";
    public static final String KEY = "tls.key";

    private TlsSecret() {}

    /** @param data the Secret's, as the API server has it; null: there is no such Secret */
    public static Optional<Finding> trouble(String name, @Nullable Map<String, String> data) {
        var field = "spec.proxy.tls.secretName: ";
        if (data == null) {
            return Optional.of(Finding.bad(
                    "TlsSecretNotFound",
                    field + "there is no Secret " + name + "; it is awaited. kubectl create secret tls " + name
                            + " --cert=CHAIN.pem --key=KEY.pem makes one"));
        }
        for (var key : new String[] {CERTIFICATE, KEY}) {
            if (!data.containsKey(key)) {
                return Optional.of(Finding.bad(
                        "TlsSecretInvalid",
                        field + "Secret " + name + " has no key " + key + "; a Secret of type kubernetes.io/tls has "
                                + CERTIFICATE + " and " + KEY));
            }
        }
        return unusable(data).map(why -> Finding.bad("TlsSecretInvalid", field + "Secret " + name + ": " + why));
    }

    private static Optional<String> unusable(Map<String, String> data) {
        PublicKey certified;
        PrivateKey key;
        try {
            certified = certificate(SecretData.text(data, CERTIFICATE).orElse(""));
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            return Optional.of(CERTIFICATE + " is no certificate in PEM; put the server's certificate there,"
                    + " then those of its issuers");
        }
        try {
            key = key(SecretData.text(data, KEY).orElse(""));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.of(KEY + " is no unencrypted private key in PEM");
        }
        return belong(certified, key)
                ? Optional.empty()
                : Optional.of(KEY + " is not the key of the first certificate in " + CERTIFICATE);
    }

    private static PublicKey certificate(String pem) throws IOException, GeneralSecurityException {
        try (var parser = new PEMParser(new StringReader(pem))) {
            if (parser.readObject() instanceof X509CertificateHolder holder) {
                return new JcaX509CertificateConverter().getCertificate(holder).getPublicKey();
            }
        }
        throw new IllegalArgumentException("no certificate");
    }

    private static PrivateKey key(String pem) throws IOException {
        var converter = new JcaPEMKeyConverter();
        try (var parser = new PEMParser(new StringReader(pem))) {
            // OpenSSL puts the parameters of a curve in front of a key on it.
            for (var object = parser.readObject(); object != null; object = parser.readObject()) {
                if (object instanceof PrivateKeyInfo info) {
                    return converter.getPrivateKey(info);
                }
                if (object instanceof PEMKeyPair pair) {
                    return converter.getPrivateKey(pair.getPrivateKeyInfo());
                }
            }
        }
        throw new IllegalArgumentException("no key");
    }

    private static boolean belong(PublicKey certified, PrivateKey key) {
        try {
            var signature =
                    Signature.getInstance("RSA".equals(key.getAlgorithm()) ? "SHA256withRSA" : "SHA256withECDSA");
            signature.initSign(key);
            signature.update(new byte[] {1});
            var signed = signature.sign();
            signature.initVerify(certified);
            signature.update(new byte[] {1});
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
