package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The line to the sidecar: one for all threads, made anew when it has broken, and given up where nothing is answered in time. */
final class Uplink {
    private final Address address;
    private final long timeoutMillis;
    private final Outage outage;

    private final Object connecting = new Object();
    /** Written while connecting. */
    private volatile @Nullable Line line;

    /** As the sidecar said when it was last connected to. */
    private volatile boolean refuses;

    /** A connection that is being greeted, and since when. */
    private volatile @Nullable Connection greeted;

    private volatile long greetedSince;
    /** One that was not greeted in time. */
    private volatile @Nullable Connection givenUp;

    private final Standstill standstill = new Standstill(System.nanoTime());

    Uplink(Address address, long timeoutMillis, Outage outage) {
        this.address = address;
        this.timeoutMillis = timeoutMillis;
        this.outage = outage;
    }

    /** The last one, perhaps broken by now; null: there never was one. */
    @Nullable
    Line line() {
        return line;
    }

    /** The sidecar wants requests refused whose session it cannot ask for, whatever this JVM holds. */
    boolean refuses() {
        return refuses;
    }

    /** One that works, as far as anybody knows. */
    Line connected() throws IOException, Refusal {
        synchronized (connecting) {
            Line known = line;
            if (known != null && !known.isBroken()) {
                return known;
            }
            Connection connection = new Connection(address);
            try {
                greetedSince = System.nanoTime();
                greeted = connection;
                Hello hello = new Hello(connection.greet());
                refuses = hello.refuses;
                Line fresh = new Line(connection, page(hello));
                fresh.start();
                line = fresh;
                return fresh;
            } catch (IOException | RuntimeException e) {
                connection.close();
                if (givenUp == connection) {
                    outage.hangs(new IOException("it accepts connections and says nothing", e));
                }
                throw e;
            } finally {
                greeted = null;
            }
        }
    }

    /** To be called regularly, by a thread of its own. What this JVM slept through is nobody's silence. */
    void watch(long now) {
        long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        if (standstill.nanosSince(now) <= timeoutNanos) {
            return;
        }
        Line at = line;
        if (at != null) {
            at.closeIfOverdue(now, timeoutMillis);
        }
        Connection slow = greeted;
        if (slow != null && now - greetedSince > timeoutNanos) {
            givenUp = slow;
            slow.close();
        }
    }

    private @Nullable Page page(Hello hello) {
        File file = hello.page == null ? null : address.beside(hello.page);
        if (file == null) {
            return null;
        }
        try {
            return Page.map(file, hello.clock);
        } catch (IOException e) {
            Log.debug("every session is asked for, the page of claims cannot be used: " + file + ": " + e.getMessage());
            return null;
        }
    }
}
