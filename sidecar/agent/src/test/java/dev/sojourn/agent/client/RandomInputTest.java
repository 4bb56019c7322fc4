package dev.sojourn.agent.client;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sojourn.agent.Randomly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Seconds of bytes that no sidecar would write, made of such as one would. {@code make fuzz-agent} looks longer, led by coverage. */
class RandomInputTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void anythingOverTheSocketIsUnderstoodOrRefused() throws Exception {
        List<byte[]> known = new ArrayList<>();
        for (String file : List.of("replies.json", "broken.json")) {
            VectorFile.read(file).forEach(vector -> known.add(VectorFile.bytes(vector.get("wire"))));
        }
        Randomly.run(random -> ReplyFuzzTest.read(changed(random, known)));
    }

    @Test
    void anyDeltaFitsOrDoesNot() throws Exception {
        List<byte[]> olds = new ArrayList<>();
        List<byte[]> deltas = new ArrayList<>();
        VectorFile.read("deltas.json")
                .filter(vector -> !vector.get("delta").isNull())
                .forEach(vector -> {
                    olds.add(VectorFile.bytes(vector.get("old")));
                    deltas.add(VectorFile.bytes(vector.get("delta")));
                });
        Randomly.run(random -> {
            int which = random.nextInt(olds.size());
            byte[] old = olds.get(which);
            byte[] before = old.clone();
            Delta.apply(old, List.of(changed(random, deltas.subList(which, which + 1)), changed(random, deltas)));
            Delta.apply(old, List.of(changed(random, deltas.subList(which, which + 1))));
            if (!Arrays.equals(before, old)) {
                throw new AssertionError("what others may be reading was changed");
            }
        });
    }

    @Test
    void aPageOfAnyBytesIsRefusedOrSaysSomething() throws Exception {
        PageFile file = new PageFile(folder.resolve("page"));
        file.slot(3, 7);
        byte[] good = Files.readAllBytes(file.path);
        Randomly.run(random -> {
            Files.write(file.path, changed(random, List.of(good)));
            try {
                Page page = Page.map(file.path.toFile(), System.nanoTime());
                page.says(3, 7);
                page.says(random.nextLong(), random.nextLong());
            } catch (IOException expected) {
                // Then every session is asked for.
            }
        });
        Files.write(file.path, new byte[0]);
        assertThrows(IOException.class, () -> Page.map(file.path.toFile(), System.nanoTime()));
    }

    /** One of them with a few bytes that are others, more, or not there. */
    private static byte[] changed(Random random, List<byte[]> known) {
        byte[] bytes = known.get(random.nextInt(known.size())).clone();
        for (int n = random.nextInt(4); n > 0 && bytes.length > 0; n--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes = Arrays.copyOf(bytes, at);
                case 3 -> {
                    // Lengths that overflow are made of such.
                    int end = Math.min(bytes.length, at + 1 + random.nextInt(5));
                    Arrays.fill(bytes, at, end, random.nextBoolean() ? (byte) 0xff : (byte) '9');
                    if (end < bytes.length) {
                        bytes[end] &= 0x7f;
                    }
                }
                default -> {
                    byte[] other = known.get(random.nextInt(known.size()));
                    byte[] both = Arrays.copyOf(bytes, at + other.length);
                    System.arraycopy(other, 0, both, at, other.length);
                    bytes = both;
                }
            }
        }
        return bytes;
    }
}
