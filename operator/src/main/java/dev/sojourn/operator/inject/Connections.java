package dev.sojourn.operator.inject;

import io.vertx.core.http.HttpConnection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections to the webhook's port. Each takes memory, and whoever reaches it may keep some open and ask nothing. For what is too much the one goes
 * that has asked nothing for longest, not the newest: that may be an API server's. One of theirs that goes while nobody waits on it is
 * made anew with the next pod.
 */
final class Connections {

    private final int most;

    /** The one that was silent for longest first. Guarded by this. */
    private final Set<HttpConnection> open = new LinkedHashSet<>();

    Connections(int most) {
        this.most = most;
    }

    void opened(HttpConnection connection) {
        connection.closeHandler(closed -> forget(connection));
        var tooMuch = add(connection);
        if (tooMuch != null) {
            tooMuch.close();
        }
    }

    synchronized void asks(HttpConnection connection) {
        if (open.remove(connection)) {
            open.add(connection);
        }
    }

    private synchronized @Nullable HttpConnection add(HttpConnection connection) {
        open.add(connection);
        if (open.size() <= most) {
            return null;
        }
        var silent = open.iterator().next();
        open.remove(silent);
        return silent;
    }

    private synchronized void forget(HttpConnection connection) {
        open.remove(connection);
    }
}
