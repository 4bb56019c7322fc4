package dev.sojourn.bench.scenario;

import dev.sojourn.bench.measure.Pace;
import dev.sojourn.bench.peers.Variant;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The run's size, from the environment: {@code make bench-peers VARIANTS=sojourn-sync,local ONLY=terracotta}. */
public record Settings(
        boolean quick,
        boolean all,
        List<String> only,
        List<Variant> variants,
        List<String> cells,
        int users,
        Pace pace) {
    private static final List<Variant> DEFAULT = List.of(
            Variant.SOJOURN_SYNC,
            Variant.SOJOURN_ASYNC,
            Variant.REDISSON_REDIS,
            Variant.SPRING_SESSION,
            Variant.DELTA_SYNC,
            Variant.BACKUP_SYNC,
            Variant.LOCAL);

    public static Settings of(Map<String, String> environment) {
        boolean quick = set(environment, "QUICK");
        boolean all = set(environment, "ALL");
        List<String> keys = list(environment, "VARIANTS");
        List<Variant> variants = !keys.isEmpty()
                ? keys.stream().map(Variant::of).toList()
                : all ? Variant.all() : quick ? List.of(Variant.SOJOURN_SYNC, Variant.LOCAL) : DEFAULT;
        return new Settings(
                quick,
                all,
                list(environment, "ONLY"),
                variants,
                list(environment, "CELLS"),
                number(environment, "USERS", quick ? 16 : 128),
                new Pace(
                        seconds(environment, "WARMUP", quick ? 1 : 10),
                        Duration.ofMillis(quick ? 300 : 1_000),
                        seconds(environment, "SECONDS_MEASURED", quick ? 1 : all ? 6 : 4),
                        number(environment, "REPETITIONS", quick ? 1 : 3)));
    }

    private static boolean set(Map<String, String> environment, String name) {
        return !environment.getOrDefault(name, "").isEmpty();
    }

    private static List<String> list(Map<String, String> environment, String name) {
        return Arrays.stream(environment.getOrDefault(name, "").split("[, ]+", -1))
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private static int number(Map<String, String> environment, String name, int otherwise) {
        if (!set(environment, name)) {
            return otherwise;
        }
        String text = environment.getOrDefault(name, "");
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Told below, with what is no number of ours either.
        }
        throw new IllegalArgumentException(name + "=" + text + " is not a whole number above 0");
    }

    private static Duration seconds(Map<String, String> environment, String name, int otherwise) {
        return Duration.ofSeconds(number(environment, name, otherwise));
    }
}
