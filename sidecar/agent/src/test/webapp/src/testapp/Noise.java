package testapp;

import java.util.Arrays;
import java.util.Random;

/** Bytes that nothing can compress. */
final class Noise {
    private Noise() {}

    static byte[] of(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    static int digest(Object bytes) {
        return Arrays.hashCode((byte[]) bytes);
    }
}
