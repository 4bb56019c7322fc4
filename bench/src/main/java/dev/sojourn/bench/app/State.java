package dev.sojourn.bench.app;

import java.io.Serializable;
import java.util.Random;
import java.util.zip.CRC32;

/**
 * What a session holds: a counter and blocks of random bytes. The counter tells a stale copy, the stamp tells whose copy it is, the checksums
 * tell whether it arrived whole.
 */
public final class State implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int BLOCK = 1024;

    private long counter;
    private long stamp;
    private final byte[][] blocks;
    private final int[] sums;

    /** @param size in bytes, rounded up to whole blocks */
    public State(int size, Random random) {
        blocks = new byte[Math.max(1, (size + BLOCK - 1) / BLOCK)][BLOCK];
        sums = new int[blocks.length];
        for (int i = 0; i < blocks.length; i++) {
            random.nextBytes(blocks[i]);
            sums[i] = sum(blocks[i]);
        }
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
     * @return whether the blocks that it touched were as they had been left
     */
    public boolean change(int bytes, long newStamp, Random random) {
        counter++;
        stamp = newStamp;
        boolean whole = true;
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
        return whole;
    }

    /** Whether all blocks are as they have been left. */
    public boolean isWhole() {
        for (int i = 0; i < blocks.length; i++) {
            if (sum(blocks[i]) != sums[i]) {
                return false;
            }
        }
        return true;
    }

    private static int sum(byte[] block) {
        CRC32 crc = new CRC32();
        crc.update(block);
        return (int) crc.getValue();
    }
}
