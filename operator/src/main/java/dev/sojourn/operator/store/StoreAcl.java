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

    private StoreAcl() {}

    static String file(String password) {
        return "user default off\nuser " + USER + " " + RULES + " #" + InjectionSettings.sha256(password) + "\n";
    }
}
