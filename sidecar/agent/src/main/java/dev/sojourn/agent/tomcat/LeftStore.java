package dev.sojourn.agent.tomcat;

import org.apache.catalina.Store;
import org.apache.catalina.session.ManagerBase;
import org.apache.catalina.session.PersistentManagerBase;
import org.jspecify.annotations.Nullable;

/** The {@code <Store>} of an application's manager: nobody reads it any more. */
final class LeftStore {
    private LeftStore() {}

    /** Null: nothing is to be said, for there is none. */
    static @Nullable String complaint(ManagerBase replaced, String label) {
        Store store = replaced instanceof PersistentManagerBase ? ((PersistentManagerBase) replaced).getStore() : null;
        if (store == null) {
            return null;
        }
        return "what the <Store> of the application's manager holds is not taken along, whose session is there has a new"
                + " one: context=" + label + " store=" + store.getClass().getName()
                + "; take that <Manager> out, Sojourn needs none";
    }
}
