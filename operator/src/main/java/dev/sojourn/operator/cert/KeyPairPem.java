package dev.sojourn.operator.cert;

/** A certificate and its key, as PEM. */
public record KeyPairPem(String certificate, String key) {

    /** Without the key: this ends up in logs. */
    @Override
    public String toString() {
        return "KeyPairPem[" + certificate.length() + " characters of certificate]";
    }
}
