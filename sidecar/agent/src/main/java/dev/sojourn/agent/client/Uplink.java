package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The line to the sidecar: one for all threads, made anew when it has broken, and given up where nothing is answered in time. */
final class Uplink {
    private static final int SLICE = 64 << 10;

    private final Address address;
    private final long timeoutMillis;
    private final Outage outage;
    private final ThreadFactory threads;

    private final Object connecting = new Object();
    /** Written while connecting. */
    private volatile @Nullable Line line;

    /** Somebody has answered once. */
    private volatile boolean met;

    /** As the sidecar said when it was last connected to. */
    private volatile boolean refuses;

    /** A connection that is being greeted, and since when. */
    private volatile @Nullable Connection greeted;

    /** One that was not greeted in time. */
    private volatile @Nullable Connection givenUp;

    private final Standstill standstill = new Standstill(System.nanoTime());
    /** The one being greeted that was seen last, and when that was first, by the time that this JVM ran. Of who watches alone. */
    private @Nullable Connection watched;

    private long watchedSince;

    Uplink(Address address, long timeoutMillis, Outage outage, ThreadFactory threads) {
        this.address = address;
        this.timeoutMillis = timeoutMillis;
        this.outage = outage;
        this.threads = threads;
    }

    /** One that works, as far as anybody knows; null: there is none. */
    @Nullable
    Line line() {
        Line last = line;
        return last == null || last.isBroken() ? null : last;
    }

    /** There was a line once. */
    boolean hasMet() {
        return met;
    }

    /** The sidecar wants requests refused whose session it cannot ask for, whatever this JVM holds. */
    boolean refuses() {
        return refuses;
    }

    /** One that works, as far as anybody knows. {@code looks}: whether the sidecar is back, of which nobody else is sure. */
    Line connected(boolean looks) throws IOException, Refusal {
        synchronized (connecting) {
            Line known = line();
            if (known != null) {
                return known;
            }
            // Who had this before has waited for a greeting in vain: all the others would, one after the other.
            if (outage.isSpent() && !looks) {
                throw new Refusal(Refusal.Why.AWAY, "the sidecar is away");
            }
            letGo();
            givenUp = null;
            Connection connection = new Connection(address, SLICE);
            try {
                greeted = connection;
                Hello hello = new Hello(connection.greet());
                refuses = hello.refuses;
                Line fresh = new Line(connection, page(hello));
                fresh.start(threads);
                line = fresh;
                met = true;
                return fresh;
            } catch (IOException | RuntimeException | Error e) {
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

    /**
     * Nobody may have what is over while the next one is made: the memory outside the heap that it holds may be the last there is. Unless there was no memory
     * to tell those of who wait for its answers: nobody else would.
     */
    private void letGo() {
        Line over = line;
        if (over != null) {
            over.letGo();
        }
        line = null;
    }

    /** To be called regularly, by a thread of its own. What this JVM slept through is nobody's silence. */
    void watch(long now) {
        long ran = standstill.nanosRun(now);
        if (standstill.isJustOver()) {
            return;
        }
        Line at = line;
        if (at != null) {
            at.closeIfOverdue(ran, timeoutMillis);
        }
        Connection slow = greeted;
        if (slow != watched) {
            watched = slow;
            watchedSince = ran;
        } else if (slow != null && ran - watchedSince > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
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
