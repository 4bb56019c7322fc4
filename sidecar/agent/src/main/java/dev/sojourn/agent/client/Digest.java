package dev.sojourn.agent.client;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** What the sidecar calls a session by that it may not know the name of. */
public final class Digest {
    private static final int BYTES = 20;

    private Digest() {}

    /** In lower-case hexadecimal. */
    public static String of(String session) {
        return of(session.getBytes(StandardCharsets.UTF_8));
    }

    static String of(byte[] session) {
        try {
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(session);
            return String.format("%0" + 2 * BYTES + "x", new BigInteger(1, Arrays.copyOf(whole, BYTES)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }
}
