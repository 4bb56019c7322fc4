package dev.sojourn.e2e.load;

/** The application does not know a user any more: the one thing that must not happen. */
public final class LoggedOut extends Exception {
    private static final long serialVersionUID = 1;

    LoggedOut(String user) {
        super(user + " was logged out");
    }
}
