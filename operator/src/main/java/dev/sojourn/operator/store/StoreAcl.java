package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;

/** The store's users: {@code sojourn}, who may do what the daemon does and no more, and nobody else. */
final class StoreAcl {

    static final String USER = "sojourn";

    /** The permissions of sidecar/protocol/store.md, and what client libraries send when they connect. */
    private static final String RULES = "on ~sj:* resetchannels &sj:* -@all"
            + " +ping +info +evalsha +eval +time +hmget +hget +hset +hdel +hstrlen +pexpire +unlink"
            + " +set +get +del +zadd +zrem +zrangebyscore +publish +subscribe +unsubscribe"
            + " +hello +auth +quit +reset +select +client|setinfo +client|setname";

    // Nobody can log in as default: it is off and has no password. But it is the user as whom the server replays its
    // own
    // append-only file, and refuses what that user may not do: without these rights a restart comes back empty.
    private static final String DEFAULT = "user default off resetpass ~* &* +@all\n";

    private StoreAcl() {}

    static String file(String password) {
        return DEFAULT + "user " + USER + " " + RULES + " #" + InjectionSettings.sha256(password) + "\n";
    }
}
