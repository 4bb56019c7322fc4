package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.session.SessionState;
import java.security.Principal;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What Tomcat knows of who is logged in, which is no attribute: kept with the session, so that it is where that is. Passwords are not. */
final class Login {
    private static final String PRINCIPAL = "\0principal";
    private static final String AUTH_TYPE = "\0authType";
    /** The name of who is logged in, for operators of the cluster: the sidecar reads it. */
    private static final String USER = "\0user";
    /**
     * Of Tomcat's notes, which are not attributes, those that a login by form needs on whichever node it goes on: the
     * request that was denied, and the id that it was denied under (org.apache.catalina.authenticator.Constants). Not the
     * user's password.
     */
    private static final List<String> NOTES =
            Arrays.asList("org.apache.catalina.authenticator.REQUEST", "org.apache.catalina.authenticator.SESSION_ID");

    private static final String NOTE = "\0note:";

    private final SessionState state;

    Login(SessionState state) {
        this.state = state;
    }

    void user(@Nullable String name) {
        keep(USER, name);
    }

    void principal(@Nullable Principal principal) {
        keep(PRINCIPAL, principal);
        user(principal == null ? null : principal.getName());
    }

    @Nullable
    Principal principal() {
        Object stored = state.get(PRINCIPAL);
        return stored instanceof Principal ? (Principal) stored : null;
    }

    void authType(@Nullable String authType) {
        keep(AUTH_TYPE, authType);
    }

    @Nullable
    String authType() {
        Object stored = state.get(AUTH_TYPE);
        return stored instanceof String ? (String) stored : null;
    }

    static boolean hasNote(String name) {
        return NOTES.contains(name);
    }

    @Nullable
    Object note(String name) {
        return state.get(NOTE + name);
    }

    void note(String name, @Nullable Object value) {
        keep(NOTE + name, value);
    }

    private void keep(String name, @Nullable Object value) {
        if (value == null) {
            state.remove(name);
        } else {
            state.set(name, value);
        }
    }
}
