package dev.sojourn.operator.cert;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.util.encoders.DecoderException;

/** Certificates and keys as text, RFC 7468. */
public final class Pem {

    private Pem() {}

    /**
     * The first one: those of its issuers may follow.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static X509Certificate certificate(String pem) {
        try (var parser = new PEMParser(new StringReader(pem))) {
            if (parser.readObject() instanceof X509CertificateHolder holder) {
                return new JcaX509CertificateConverter().getCertificate(holder);
            }
            throw new IllegalArgumentException("no certificate in PEM");
        } catch (IOException | GeneralSecurityException | DecoderException e) {
            throw new IllegalArgumentException("no certificate in PEM", e);
        }
    }

    /**
     * The first one and those of its issuers: all that there are, as whoever serves with them reads them.
     *
     * @throws IllegalArgumentException if there is none, or one of them cannot be read
     */
    public static List<X509Certificate> certificates(String pem) {
        var chain = new ArrayList<X509Certificate>();
        try (var parser = new PEMParser(new StringReader(pem))) {
            for (var object = parser.readObject(); object != null; object = parser.readObject()) {
                if (object instanceof X509CertificateHolder holder) {
                    chain.add(new JcaX509CertificateConverter().getCertificate(holder));
                }
            }
        } catch (IOException | GeneralSecurityException | DecoderException e) {
            throw new IllegalArgumentException("certificate " + (chain.size() + 1) + " cannot be read", e);
        }
        if (chain.isEmpty()) {
            throw new IllegalArgumentException("no certificate in PEM");
        }
        return chain;
    }

    /** @throws IllegalArgumentException if there is none, or it is encrypted */
    public static PrivateKey key(String pem) {
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
            throw new IllegalArgumentException("no key in PEM");
        } catch (IOException | DecoderException e) {
            throw new IllegalArgumentException("no key in PEM", e);
        }
    }

    static String text(Object object) throws IOException {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(object);
        }
        return text.toString();
    }
}
