package dev.sojourn.bench.app;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * What a session holds: a counter and blocks of random bytes. The counter tells a stale copy, the stamp tells whose copy it is, the checksums
 * tell whether it arrived whole, and the checksum of all of that whether its parts are of one state: an old block has an old checksum, too.
 */
public final class State implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int BLOCK = 1024;

    private long counter;
    private long stamp;
    final byte[][] blocks;
    final int[] sums;
    private int sumOfAll;

    /** @param size in bytes, rounded up to whole blocks */
    public State(int size, Random random) {
        blocks = new byte[Math.max(1, (size + BLOCK - 1) / BLOCK)][BLOCK];
        sums = new int[blocks.length];
        for (int i = 0; i < blocks.length; i++) {
            random.nextBytes(blocks[i]);
            sums[i] = sum(blocks[i]);
        }
        sumOfAll = sumOfAll();
    }

    public long counter() {
        return counter;
    }

    public long stamp() {
        return stamp;
    }

    /**
     * Counts, and overwrites so many bytes in a row from a random place on.
     *
     * @return whether the blocks that it touched were as they had been left, and all parts of one state
     */
    public boolean change(int bytes, long newStamp, Random random) {
        boolean whole = sumOfAll == sumOfAll();
        counter++;
        stamp = newStamp;
        int block = random.nextInt(blocks.length);
        int offset = bytes < BLOCK ? random.nextInt(BLOCK - bytes + 1) : 0;
        for (int left = bytes; left > 0; block = (block + 1) % blocks.length, offset = 0) {
            whole &= sum(blocks[block]) == sums[block];
            byte[] fresh = new byte[Math.min(left, BLOCK - offset)];
            random.nextBytes(fresh);
            System.arraycopy(fresh, 0, blocks[block], offset, fresh.length);
            sums[block] = sum(blocks[block]);
            left -= fresh.length;
        }
        sumOfAll = sumOfAll();
        return whole;
    }

    /** Whether all blocks are as they have been left. */
    public boolean isWhole() {
        for (int i = 0; i < blocks.length; i++) {
            if (sum(blocks[i]) != sums[i]) {
                return false;
            }
        }
        return sumOfAll == sumOfAll();
    }

    private int sumOfAll() {
        ByteBuffer all = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES * sums.length);
        all.putLong(counter).putLong(stamp).asIntBuffer().put(sums);
        return sum(all.array());
    }

    private static int sum(byte[] block) {
        CRC32 crc = new CRC32();
        crc.update(block);
        return (int) crc.getValue();
    }
}
