package dev.sojourn.bench.load;

import java.util.Locale;
import java.util.Random;

/** Which node a user's next request goes to. */
public enum Routing {
    /** Any node, as behind a balancer that knows no sessions. */
    RANDOM,
    /** One after the other: on two or more nodes each request meets a node that did not serve the last one. */
    ROUND_ROBIN,
    /** Always the same, as with a balancer's cookie. */
    STICKY;

    int next(int user, long request, int nodes, Random random) {
        return switch (this) {
            case RANDOM -> random.nextInt(nodes);
            case ROUND_ROBIN -> Math.floorMod(user + request, nodes);
            case STICKY -> user % nodes;
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
