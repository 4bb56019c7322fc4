package dev.sojourn.agent.client;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Where two byte arrays begin to differ. The JDK compares a vector at a time, from Java 9 on. */
public final class Mismatch {
    /** {@code Arrays.mismatch(byte[], int, int, byte[], int, int)}; constant, so that the compiler inlines it. */
    private static final @Nullable MethodHandle VECTORS = vectors();

    private Mismatch() {}

    /** The first index from {@code start} on, or {@code end}. */
    public static int find(byte[] a, byte[] b, int start, int end) {
        if (VECTORS != null) {
            try {
                int found = (int) VECTORS.invokeExact(a, start, end, b, start, end);
                return found < 0 ? end : start + found;
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }
        int i = start;
        while (i < end && a[i] == b[i]) {
            i++;
        }
        return i;
    }

    private static @Nullable MethodHandle vectors() {
        Class<?> bytes = byte[].class;
        MethodType type = MethodType.methodType(int.class, bytes, int.class, int.class, bytes, int.class, int.class);
        try {
            return MethodHandles.publicLookup().findStatic(Arrays.class, "mismatch", type);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
