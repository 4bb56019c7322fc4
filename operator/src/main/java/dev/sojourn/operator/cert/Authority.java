package dev.sojourn.operator.cert;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes certificates: a CA that nobody trusts but our own webhook registration, and leaves for its Service. */
final class Authority {

    static final Duration CA_LIFE = Duration.ofDays(365);
    static final Duration LEAF_LIFE = Duration.ofDays(30);

    /** Clocks differ, and a certificate from the future is none. */
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final SecureRandom RANDOM = new SecureRandom();

    private Authority() {}

    static KeyPairPem newCa(Instant now) {
        var keys = keys();
        // A name of its own for each: two CAs in one bundle must not be mistaken for one another.
        var name = new X500Name("CN=sojourn-webhook-ca-" + Long.toHexString(RANDOM.nextLong()));
        return sign(
                name,
                keys,
                name,
                keys.getPrivate(),
                now,
                CA_LIFE,
                builder -> builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                        .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign)));
    }

    static KeyPairPem newLeaf(KeyPairPem ca, List<String> dnsNames, Instant now) {
        var issuer = new X500Name(
                Pem.certificate(ca.certificate()).getSubjectX500Principal().getName());
        var names = new GeneralNames(dnsNames.stream()
                .map(name -> new GeneralName(GeneralName.dNSName, name))
                .toArray(GeneralName[]::new));
        return sign(
                issuer,
                keys(),
                new X500Name("CN=sojourn-webhook"),
                Pem.key(ca.key()),
                now,
                LEAF_LIFE,
                builder -> builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
                        .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
                        .addExtension(
                                Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                        .addExtension(Extension.subjectAlternativeName, false, names));
    }

    private interface Extensions {
        X509v3CertificateBuilder addTo(X509v3CertificateBuilder builder) throws IOException;
    }

    private static KeyPairPem sign(
            X500Name issuer,
            KeyPair keys,
            X500Name subject,
            PrivateKey signer,
            Instant now,
            Duration life,
            Extensions extensions) {
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    issuer,
                    new BigInteger(127, RANDOM),
                    Date.from(now.minus(CLOCK_SKEW)),
                    Date.from(now.plus(life)),
                    subject,
                    keys.getPublic());
            var holder = extensions.addTo(builder).build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer));
            return new KeyPairPem(
                    Pem.text(new JcaX509CertificateConverter().getCertificate(holder)),
                    Pem.text(new JcaPKCS8Generator(keys.getPrivate(), null)));
        } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
            throw new IllegalStateException("every Java can sign with P-256", e);
        }
    }

    private static KeyPair keys() {
        try {
            var generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has P-256", e);
        }
    }
}
