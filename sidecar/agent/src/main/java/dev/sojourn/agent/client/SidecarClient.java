package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The sidecar over a socket: encodes, retries through short outages, decodes. */
public final class SidecarClient implements Sidecar {
    private interface Ask {
        void encode(RequestEncoder to);
    }

    private final Address address;
    private final Pool pool;
    /**
     * Requests that wait for a session of their own. Not among the others: they would take every connection, and whoever
     * has the session could not commit and give it back. A lock ends with its connection, so these stay open.
     */
    private final Pool waiting;

    private final Outage outage;

    public SidecarClient(Address address, long patienceMillis, long timeoutMillis) {
        this.address = address;
        this.pool = new Pool(address, timeoutMillis);
        this.waiting = new Pool(address, timeoutMillis);
        this.outage = new Outage(address.toString(), patienceMillis);
    }

    @Override
    public @Nullable Opened open(String session, long held) throws Refusal {
        return decode(Answers::opened, call(to -> Asks.open(to, session, held)));
    }

    @Override
    public @Nullable Opened openExclusive(String session, long held) throws Refusal {
        return decode(Answers::opened, call(waiting, to -> Asks.openExclusive(to, session, held)));
    }

    @Override
    public Committed commit(String session, long base, int idle, long created, long lock, List<Change> changes)
            throws Refusal {
        Committed committed =
                decode(Answers::committed, call(to -> Asks.commit(to, session, base, idle, created, lock, changes)));
        if (committed == null) {
            throw new Refusal(Refusal.Why.WRONG, "SJ.COMMIT was answered with null");
        }
        return committed;
    }

    @Override
    public void unlock(String session, long lock) throws Refusal {
        call(to -> Asks.unlock(to, session, lock));
    }

    @Override
    public void touch(String session) throws Refusal {
        call(to -> Asks.touch(to, session));
    }

    @Override
    public boolean end(String session) throws Refusal {
        return Boolean.TRUE.equals(decode(reply -> reply.integer() == 1, call(to -> Asks.end(to, session))));
    }

    @Override
    public @Nullable Opened reap(String session) throws Refusal {
        return decode(Answers::opened, call(to -> Asks.reap(to, session)));
    }

    @Override
    public void note(String kind, String context, String attribute, String className) throws Refusal {
        call(to -> Asks.note(to, kind, context, attribute, className));
    }

    @Override
    public long rename(String session, String renamed, long base) throws Refusal {
        Long version = decode(Reply::integer, call(to -> Asks.rename(to, session, renamed, base)));
        return version == null ? 0 : version;
    }

    /** True while nobody is asked because nobody answered. */
    public boolean isAway() {
        return outage.isSpent();
    }

    /** To be called regularly, by a thread of its own: frees threads whose request is never answered. */
    public void watch() {
        pool.closeOverdue();
        waiting.closeOverdue();
    }

    /** To be called regularly: looks whether the sidecar is back. */
    public void look() {
        if (!outage.isSpent()) {
            return;
        }
        try {
            // Answered without the store.
            once(pool, to -> to.begin(1).bulk("PING"));
            outage.over();
        } catch (IOException | Refusal e) {
            Log.debug("still no answer from the sidecar: " + e);
        }
    }

    private Reply call(Ask ask) throws Refusal {
        return call(pool, ask);
    }

    private Reply call(Pool from, Ask ask) throws Refusal {
        // A channel closes itself when its thread is interrupted; the application's interrupt is not meant for it.
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                if (outage.isSpent()) {
                    throw new Refusal(Refusal.Why.AWAY, "the sidecar is away");
                }
                try {
                    Reply reply = once(from, ask);
                    outage.over();
                    return checked(reply);
                } catch (BrokenReply e) {
                    Log.warnOnce(
                            "the sidecar's answer was not understood, the connection is closed: " + e.getMessage());
                    throw new Refusal(Refusal.Why.AWAY, "broken reply");
                } catch (IOException e) {
                    interrupted |= Thread.interrupted();
                    if (!outage.tryAgain(e)) {
                        throw new Refusal(Refusal.Why.AWAY, "the sidecar is away: " + e);
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Reply once(Pool from, Ask ask) throws IOException, Refusal {
        Connection connection = from.take();
        boolean fresh = connection == null;
        boolean good = false;
        try {
            if (connection == null) {
                connection = from.connect();
            }
            ask.encode(connection.encoder);
            Reply reply = connection.exchange();
            good = true;
            return reply;
        } catch (BrokenReply e) {
            throw e;
        } catch (IOException e) {
            if (connection != null && connection.timedOut()) {
                outage.hangs(e);
                throw new Refusal(Refusal.Why.AWAY, "the sidecar does not answer");
            }
            if (fresh) {
                throw e;
            }
        } finally {
            if (good && connection != null) {
                from.giveBack(connection);
            } else {
                from.discard(connection);
            }
        }
        // The sidecar was restarted since the connection was last used: no outage, if a new connection works.
        from.dropIdle();
        return once(from, ask);
    }

    private static Reply checked(Reply reply) throws Refusal {
        if (reply.kind != Reply.Kind.ERROR) {
            return reply;
        }
        Refusal refusal = Answers.refusal(reply);
        if (refusal.why == Refusal.Why.WRONG) {
            Log.warnOnce("the sidecar refused a request, this is a bug: " + refusal.getMessage());
        }
        throw refusal;
    }

    private interface Decode<T> {
        @Nullable
        T from(Reply reply) throws BrokenReply;
    }

    private static <T> @Nullable T decode(Decode<T> how, Reply reply) throws Refusal {
        try {
            return how.from(reply);
        } catch (BrokenReply e) {
            Log.warnOnce("the sidecar's answer was not understood: " + e.getMessage());
            throw new Refusal(Refusal.Why.WRONG, String.valueOf(e.getMessage()));
        }
    }
}
