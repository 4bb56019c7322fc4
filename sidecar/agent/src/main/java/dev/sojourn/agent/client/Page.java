package dev.sojourn.agent.client;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The sidecar's page of claims, mapped: which of its sessions are the newest, without asking it. */
final class Page {
    private static final long MAGIC = 0x3130_4547_4150_4a53L; // "SJPAGE01", little-endian
    private static final int HEADER = 64;
    private static final int ENTRY = 16;
    private static final int UNTIL_STEADY = 16;
    private static final int UNTIL_WALL = 24;
    private static final int MOST_SLOTS = 1 << 24;
    private static final long CLOCKS_APART = TimeUnit.SECONDS.toNanos(1);

    /** {@code long (ByteBuffer, int)}: one ordered read. Null before Java 9. */
    private static final @Nullable MethodHandle READ = ordered();

    private final ByteBuffer bytes;
    private final int slots;

    private Page(ByteBuffer bytes, int slots) {
        this.bytes = bytes;
        this.slots = slots;
    }

    /** {@code clock}: the sidecar's own at this moment. Throws what is wrong with it. */
    static Page map(File file, long clock) throws IOException {
        if (Math.abs(System.nanoTime() - clock) > CLOCKS_APART) {
            throw new IOException("the sidecar's clock is another one");
        }
        if (READ == null) {
            throw new IOException("this JVM cannot read it in order");
        }
        try (FileChannel channel = FileChannel.open(file.toPath(), StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < HEADER || size > HEADER + (long) MOST_SLOTS * ENTRY) {
                throw new IOException("it has " + size + " bytes");
            }
            ByteBuffer bytes =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, size).order(ByteOrder.LITTLE_ENDIAN);
            long slots = bytes.getLong(8);
            if (bytes.getLong(0) != MAGIC || slots < 1 || Long.bitCount(slots) != 1 || size < HEADER + slots * ENTRY) {
                throw new IOException("it is not one of this version");
            }
            return new Page(bytes, (int) slots);
        }
    }

    /** Where it speaks of the session with this ticket. */
    int slot(long ticket) {
        return (int) (ticket & slots - 1);
    }

    /** Whether {@code version} of the session with this ticket is the newest there is, at this moment. */
    boolean says(long ticket, long version) {
        int at = HEADER + slot(ticket) * ENTRY;
        // In this order: the slot may be given to another session meanwhile, and the clocks stand for all that was read
        // before. Differences, because both clocks may begin anywhere.
        return read(at) == ticket
                && read(at + 8) == version
                && read(at) == ticket
                && read(UNTIL_STEADY) - System.nanoTime() > 0
                && read(UNTIL_WALL) - System.currentTimeMillis() > 0;
    }

    private long read(int at) {
        MethodHandle ordered = READ;
        if (ordered == null) {
            return 0;
        }
        try {
            return (long) ordered.invokeExact(bytes, at);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    // VarHandle came with Java 9, and this is compiled for Java 8.
    private static @Nullable MethodHandle ordered() {
        try {
            Object longs = MethodHandles.class
                    .getMethod("byteBufferViewVarHandle", Class.class, ByteOrder.class)
                    .invoke(null, long[].class, ByteOrder.LITTLE_ENDIAN);
            Class<?> mode = Class.forName("java.lang.invoke.VarHandle$AccessMode");
            Object acquire = mode.getMethod("valueFromMethodName", String.class).invoke(null, "getVolatile");
            MethodHandle handle = (MethodHandle) Class.forName("java.lang.invoke.VarHandle")
                    .getMethod("toMethodHandle", mode)
                    .invoke(longs, acquire);
            return handle.asType(MethodType.methodType(long.class, ByteBuffer.class, int.class));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
