package dev.sojourn.operator.proxy;

import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate that signs itself, and its key in PEM: as PKCS#8, or as PKCS#1. */
record ServerCertificate(String certificate, String key) {

    /** On what the key is built. */
    enum Kind {
        EC("SHA256withECDSA", 256),
        RSA("SHA256withRSA", 2048);

        private final String signature;
        private final int bits;

        Kind(String signature, int bits) {
            this.signature = signature;
            this.bits = bits;
        }
    }

    static ServerCertificate make(Kind kind, String name) {
        return make(kind, kind.bits, name);
    }

    static ServerCertificate make(Kind kind, int bits, String name) {
        try {
            var generator = KeyPairGenerator.getInstance(kind.name());
            generator.initialize(bits);
            var keys = generator.generateKeyPair();
            var subject = new X500Name("CN=" + name);
            var now = Instant.now();
            var holder = new JcaX509v3CertificateBuilder(
                            subject,
                            BigInteger.valueOf(System.nanoTime()),
                            Date.from(now.minus(Duration.ofHours(1))),
                            Date.from(now.plus(Duration.ofDays(1))),
                            subject,
                            keys.getPublic())
                    .build(new JcaContentSignerBuilder(kind.signature).build(keys.getPrivate()));
            return new ServerCertificate(
                    pem(holder), kind == Kind.EC ? pem(new JcaPKCS8Generator(keys.getPrivate(), null)) : pem(keys));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("every Java can sign with " + kind, e);
        }
    }

    private static String pem(Object object) throws IOException {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
