package dev.sojourn.agent.client;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** As many connections as requests use the sidecar at once, up to a cap; the one used last is used first. */
final class Pool {
    private static final int CAP = 64;

    private final Address address;
    private final long timeoutMillis;
    private final Semaphore permits = new Semaphore(CAP);
    private final Set<Connection> busy = ConcurrentHashMap.newKeySet();
    /** Guarded by itself. */
    private final ArrayDeque<Connection> idle = new ArrayDeque<>();

    Pool(Address address, long timeoutMillis) {
        this.address = address;
        this.timeoutMillis = timeoutMillis;
    }

    /** An idle connection, or null: then {@link #connect} makes one. Either way the caller owes a give-back or discard. */
    @Nullable
    Connection take() throws IOException {
        try {
            if (!permits.tryAcquire(timeoutMillis, TimeUnit.MILLISECONDS)) {
                throw new IOException(
                        "all " + CAP + " connections to the sidecar were busy for " + timeoutMillis + " ms");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a connection", e);
        }
        Connection connection;
        synchronized (idle) {
            connection = idle.pollFirst();
        }
        if (connection != null) {
            busy.add(connection);
        }
        return connection;
    }

    Connection connect() throws IOException {
        Connection connection = new Connection(address);
        busy.add(connection);
        return connection;
    }

    void giveBack(Connection connection) {
        busy.remove(connection);
        synchronized (idle) {
            idle.addFirst(connection);
        }
        permits.release();
    }

    void discard(@Nullable Connection connection) {
        if (connection != null) {
            busy.remove(connection);
            connection.close();
        }
        permits.release();
    }

    /** One connection broke because the sidecar went away: so did the idle ones. */
    void dropIdle() {
        synchronized (idle) {
            for (Connection connection : idle) {
                connection.close();
            }
            idle.clear();
        }
    }

    /** Frees threads whose request was never answered; they see a closed channel. */
    void closeOverdue() {
        long now = System.nanoTime();
        long timeout = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        for (Connection connection : busy) {
            connection.closeIfOverdue(now, timeout);
        }
    }
}
