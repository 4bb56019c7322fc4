package dev.sojourn.bench.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One way of keeping sessions, set up as its documentation says; the files are in {@code bench/peers/<folder>}. */
public enum Variant {
    SOJOURN_SYNC("Sojourn `Sync`", "sojourn", Keeps.STORE, Map.of("SOJOURN_MODE", "Sync")),
    SOJOURN_ASYNC("Sojourn `Async`", "sojourn", Keeps.STORE, Map.of("SOJOURN_MODE", "Async")),
    /** Another build, for what a change costs or gives: {@link Places#agent}. */
    SOJOURN_BEFORE("Sojourn before", "sojourn", Keeps.STORE, Map.of("SOJOURN_MODE", "Sync")),
    REDISSON_REDIS("Redisson `REDIS`", "redisson", Keeps.STORE, Map.of("redisson.readMode", "REDIS")),
    REDISSON_MEMORY("Redisson `MEMORY`", "redisson", Keeps.STORE, Map.of("redisson.readMode", "MEMORY")),
    SPRING_SESSION("Spring Session", "spring-session", Keeps.STORE, Map.of("session.flush", "ON_SAVE")),
    SPRING_SESSION_IMMEDIATE(
            "Spring Session `IMMEDIATE`", "spring-session", Keeps.STORE, Map.of("session.flush", "IMMEDIATE")),
    DELTA_SYNC("DeltaManager sync", "delta", Keeps.NODES, Map.of("cluster.sendOptions", "6")),
    DELTA_ASYNC("DeltaManager async", "delta", Keeps.NODES, Map.of("cluster.sendOptions", "8")),
    BACKUP_SYNC("BackupManager sync", "backup", Keeps.NODES, Map.of("cluster.sendOptions", "6")),
    BACKUP_ASYNC("BackupManager async", "backup", Keeps.NODES, Map.of("cluster.sendOptions", "8")),
    MSM("memcached-session-manager", "msm", Keeps.STORE, Map.of()),
    LOCAL("local, sticky", "common", Keeps.NOTHING, Map.of());

    /** Where the sessions are besides the JVM. */
    enum Keeps {
        STORE,
        NODES,
        NOTHING
    }

    private final String label;
    final String folder;
    final Keeps keeps;
    /** System properties of the Tomcats, which their configuration refers to; of Sojourn: the daemon's environment. */
    final Map<String, String> settings;

    Variant(String label, String folder, Keeps keeps, Map<String, String> settings) {
        this.label = label;
        this.folder = folder;
        this.keeps = keeps;
        this.settings = settings;
    }

    public String label() {
        return label;
    }

    public boolean sojourn() {
        return folder.equals("sojourn");
    }

    public boolean hasStore() {
        return keeps == Keeps.STORE;
    }

    /** Whether the nodes send each other their sessions. */
    public boolean cluster() {
        return keeps == Keeps.NODES;
    }

    /** Whether another node than the last one has the session at all. */
    public boolean shares() {
        return keeps != Keeps.NOTHING;
    }

    /** What it runs on, if nothing else is asked for. */
    Tomcat tomcat() {
        return this == MSM ? Tomcat.NINE : Tomcat.TEN;
    }

    /** As on the command line: {@code sojourn-sync}. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Variant of(String key) {
        return Arrays.stream(values())
                .filter(variant -> variant.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no variant " + key + "; there are "
                        + Arrays.stream(values()).map(Variant::key).toList()));
    }

    /** But another build, which there may be none of. */
    public static List<Variant> all() {
        return Arrays.stream(values())
                .filter(variant -> variant != SOJOURN_BEFORE)
                .toList();
    }
}
