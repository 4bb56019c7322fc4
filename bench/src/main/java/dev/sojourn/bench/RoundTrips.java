package dev.sojourn.bench;

import dev.sojourn.bench.server.Sidecar;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;

/** Store commands and bytes per operation, counted by the store itself, between two daemons on one store. */
final class RoundTrips {
    private static final int SIZE = 20 * 1024;
    private static final int CHANGED = 32;
    private static final int TIMES = 500;
    private static final byte[] NAME = "cart".getBytes(StandardCharsets.UTF_8);

    private final Path daemon;
    private final Path scratch;

    RoundTrips(Path daemon, Path scratch) {
        this.daemon = daemon;
        this.scratch = scratch;
    }

    void print() throws IOException, InterruptedException {
        System.out.printf(
                "%nOne session of %d KiB, %d bytes changed, two daemons in turn, %d times%n",
                SIZE / 1024, CHANGED, TIMES);
        try (var store = Store.start(scratch);
                var here = Sidecar.start(daemon, scratch, store);
                var there = Sidecar.start(daemon, scratch, store);
                var first = here.client();
                var second = there.client()) {
            byte[] session = "/\nbench".getBytes(StandardCharsets.UTF_8);
            var random = new Random(1);
            byte[] value = new byte[SIZE];
            random.nextBytes(value);
            long version = commit(first, session, 0, value);
            open(second, session, 0);

            long[] open = new long[2];
            long[] commit = new long[2];
            long[] nothing = new long[2];
            long[] held = {version, version};
            for (int i = 0; i < TIMES; i++) {
                int who = i % 2;
                Jedis turn = who == 0 ? second : first;
                count(store, open, () -> open(turn, session, held[who]));
                byte[] changed = new byte[CHANGED];
                random.nextBytes(changed);
                System.arraycopy(changed, 0, value, random.nextInt(SIZE - CHANGED), CHANGED);
                long base = held[1 - who];
                count(store, commit, () -> held[who] = commit(turn, session, base, value));
                count(store, nothing, () -> commit(turn, session, held[who], value));
            }
            row("open what the other daemon changed", open);
            row("commit the change", commit);
            row("commit when nothing changed", nothing);
        }
    }

    private static void row(String what, long[] sums) {
        System.out.printf(
                "  %-44s %8.2f store commands, %8.0f bytes to the store%n",
                what, (double) sums[0] / TIMES, (double) sums[1] / TIMES);
    }

    private static void count(Store store, long[] sums, Runnable operation) {
        long commands = store.commands();
        long bytes = store.bytesIn();
        long cost = store.bytesIn() - bytes;
        bytes = store.bytesIn();
        operation.run();
        sums[1] += store.bytesIn() - bytes - cost;
        sums[0] += store.commands() - commands;
    }

    private static void open(Jedis client, byte[] session, long held) {
        if (client.sendCommand(command("SJ.OPEN"), session, bytes(held)) == null) {
            throw new IllegalStateException("the session is not there");
        }
    }

    private static long commit(Jedis client, byte[] session, long base, byte[] value) {
        var reply = (List<?>) client.sendCommand(
                command("SJ.COMMIT"), session, bytes(base), bytes(1800), bytes(1), bytes("SET"), NAME, value);
        return (Long) reply.get(0);
    }

    private static byte[] bytes(Object text) {
        return String.valueOf(text).getBytes(StandardCharsets.UTF_8);
    }

    private static ProtocolCommand command(String name) {
        return () -> name.getBytes(StandardCharsets.UTF_8);
    }
}
