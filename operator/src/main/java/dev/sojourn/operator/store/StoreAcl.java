package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;

/** The store's users: {@code sojourn}, who may do what the daemon does and no more, and nobody else. */
final class StoreAcl {

    static final String USER = "sojourn";

    /** What the scripts of sidecar/protocol/store.md call, and what client libraries send when they connect. */
    private static final String RULES = "on ~sj:* resetchannels -@all"
            + " +@hash +eval +evalsha +script|load +script|exists"
            + " +exists +del +unlink +expire +pexpire +pexpireat +ttl +pttl +type +time"
            + " +ping +echo +hello +auth +quit +reset +select +info +multi +exec +discard"
            + " +client|setinfo +client|setname +client|id +client|no-evict +client|no-touch"
            + " +command +role";

    // Nobody can log in as default: it is off and has no password. But it is the user as whom the server replays its
    // own
    // append-only file, and refuses what that user may not do: without these rights a restart comes back empty.
    private static final String DEFAULT = "user default off resetpass ~* &* +@all\n";

    private StoreAcl() {}

    static String file(String password) {
        return DEFAULT + "user " + USER + " " + RULES + " #" + InjectionSettings.sha256(password) + "\n";
    }
}
