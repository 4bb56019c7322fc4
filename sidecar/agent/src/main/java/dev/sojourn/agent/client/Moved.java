package dev.sojourn.agent.client;

import java.nio.charset.StandardCharsets;

/**
 * Whether bytes that went are somewhere else now, as far as a few samples of them tell. What shifted is all different in place, though a search finds it
 * all; what was overwritten is nowhere.
 */
final class Moved {
    private static final int SAMPLE = 16;
    /** So many samples where all of the value went; the first one after a quarter of that distance. */
    private static final int SAMPLES = 8;

    private final byte[] old;
    private final int distance;
    private final int[] samples = new int[SAMPLES + 1];
    private int count;
    private int removed;
    private int next;

    /** @param length of the new value */
    Moved(byte[] old, int length) {
        this.old = old;
        distance = Math.max(1, Math.max(old.length, length) / SAMPLES);
        next = distance / 4;
    }

    /** So many bytes of the old value are not where they were; to be called in their order. */
    void removed(int offset, int length) {
        while (next < removed + length) {
            int sample = offset + next - removed;
            samples[count++] = Math.max(0, Math.min(sample, old.length - SAMPLE));
            next += distance;
        }
        removed += length;
    }

    /**
     * Only what came between {@code from} and {@code to} can hold what moved: all else is as it was in its place. Strings, for the JDK looks for one in another a vector at a
     * time.
     */
    boolean isIn(byte[] now, int from, int to) {
        int start = Math.max(0, from - SAMPLE);
        int length = Math.min(now.length, to + SAMPLE) - start;
        String text = new String(now, start, length, StandardCharsets.ISO_8859_1);
        for (int i = 0; i < count; i++) {
            if (text.contains(new String(old, samples[i], SAMPLE, StandardCharsets.ISO_8859_1))) {
                return true;
            }
        }
        return false;
    }
}
