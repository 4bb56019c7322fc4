package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;

/** The store's users: {@code sojourn}, who may do what the daemon does and no more, and nobody else. */
final class StoreAcl {

    static final String USER = "sojourn";

    /**
     * The permissions of sidecar/protocol/store.md, and what client libraries send when they connect. Not {@code CLIENT SETINFO}, of which they take
     * no for an answer: Redis 7.0 does not know it, and does not start with a name that it does not know.
     */
    private static final String RULES = "on ~sj:* resetchannels &sj:* -@all"
            + " +ping +info +evalsha +eval +time +hmget +hget +hset +hdel +hstrlen +pexpire +unlink"
            + " +set +get +del +zadd +zrem +zrangebyscore +publish +subscribe +unsubscribe"
            + " +role +wait +cluster|slots +cluster|info +asking"
            + " +hello +auth +quit +reset +select +client|setname";

    // Nobody can log in as default: it is off and has no password. But it is the user as whom the server replays its
    // own
    // append-only file, and refuses what that user may not do: without these rights a restart comes back empty.
    private static final String DEFAULT = "user default off resetpass ~* &* +@all\n";

    private StoreAcl() {}

    /** The pods of the store among themselves, and the operator: replication, Sentinel, the shards' slots. */
    static final String SYSTEM = "system";

    /** Where to find the primary, and when it is another one. */
    private static final String SENTINEL_RULES = "on resetkeys resetchannels &* -@all +ping +info +role +hello +auth"
            + " +client|setname +subscribe +psubscribe +unsubscribe"
            + " +sentinel|get-master-addr-by-name +sentinel|sentinels +sentinel|replicas +sentinel|myid";

    static String standalone(String password) {
        return DEFAULT + "user " + USER + " " + RULES + hash(password);
    }

    static String withPeers(String password, String system) {
        return standalone(password) + everything(system);
    }

    static String sentinel(String password, String system) {
        return "user default off resetpass\n" + "user " + USER + " " + SENTINEL_RULES + hash(password)
                + everything(system);
    }

    private static String everything(String system) {
        return "user " + SYSTEM + " on ~* &* +@all" + hash(system);
    }

    private static String hash(String password) {
        return " #" + InjectionSettings.sha256(password) + "\n";
    }
}
