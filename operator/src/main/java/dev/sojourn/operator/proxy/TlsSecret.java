package dev.sojourn.operator.proxy;

import dev.sojourn.operator.cert.Pem;
import dev.sojourn.operator.secret.SecretData;
import dev.sojourn.operator.status.Finding;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a Secret can be Envoy's certificate. Looked at before Envoy gets it: the kubelet starts no pod whose Secret is missing, and
 * Envoy does not listen with a certificate that it cannot read.
 */
public final class TlsSecret {

    public static final String CERTIFICATE = "tls.crt";
    public static final String KEY = "tls.key";

    private static final int LEAST_RSA_BITS = 2048;

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
            // All of them: Envoy does not listen for the sake of an issuer's that it cannot read.
            certified = Pem.certificates(SecretData.text(data, CERTIFICATE).orElse(""))
                    .get(0)
                    .getPublicKey();
        } catch (IllegalArgumentException e) {
            return Optional.of(CERTIFICATE
                    + " is no certificate in PEM, or one of several is none; put the server's certificate there,"
                    + " then those of its issuers");
        }
        try {
            key = Pem.key(SecretData.text(data, KEY).orElse(""));
        } catch (IllegalArgumentException e) {
            return Optional.of(KEY + " is no unencrypted private key in PEM");
        }
        if (certified instanceof RSAPublicKey rsa && rsa.getModulus().bitLength() < LEAST_RSA_BITS) {
            return Optional.of("the certificate in " + CERTIFICATE + " has an RSA key of "
                    + rsa.getModulus().bitLength() + " bits, and Envoy takes none of less than " + LEAST_RSA_BITS
                    + "; have one made for a longer key");
        }
        return belong(certified, key)
                ? Optional.empty()
                : Optional.of(KEY + " is not the key of the first certificate in " + CERTIFICATE);
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
