package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.core.OwnThread;
import dev.sojourn.agent.core.Spares;
import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The sidecar over a socket: encodes, retries through short outages, decodes. */
public final class SidecarClient implements Sidecar {
    private interface Ask {
        void encode(RequestEncoder to);
    }

    private static final class Answer {
        final Reply reply;
        final Line line;

        Answer(Reply reply, Line line) {
            this.reply = reply;
            this.line = line;
        }
    }

    private final Outage outage;
    private final NextLook nextLook = new NextLook();
    private final Uplink uplink;
    private final Spares<RequestEncoder> encoders = new Spares<>();

    public SidecarClient(Address address, long patienceMillis, long timeoutMillis) {
        this.outage = new Outage(address.toString(), patienceMillis);
        this.uplink = new Uplink(address, timeoutMillis, outage, work -> OwnThread.of("sojourn-replies", work));
    }

    @Override
    public @Nullable Opened open(String session, long held, boolean passive) throws Refusal {
        Answer answer = call(to -> Asks.open(to, session, held, passive));
        return decode(reply -> Answers.opened(reply, answer.line::ticket), answer);
    }

    @Override
    public @Nullable Opened openExclusive(String session, long held, boolean passive) throws Refusal {
        return decode(Answers::locked, call(to -> Asks.openExclusive(to, session, held, passive)));
    }

    @Override
    public Committed commit(String session, CommitTerms terms, List<Change> changes) throws Refusal {
        Committed committed = decode(Answers::committed, call(to -> Asks.commit(to, session, terms, changes)));
        if (committed == null) {
            throw new Refusal(Refusal.Why.WRONG, "SJ.COMMIT was answered with null");
        }
        return committed;
    }

    @Override
    public boolean beginCommit(String session, CommitTerms terms, List<Change> changes, CommitOutcome outcome) {
        Line at = uplink.line();
        if (at == null || outage.isSpent()) {
            return false;
        }
        boolean interrupted = Thread.interrupted();
        send(
                at,
                new Call(new Call.Then() {
                    @Override
                    public void answered(Reply reply) {
                        outage.over();
                        try {
                            check(reply);
                            outcome.committed(Answers.committed(reply));
                        } catch (Refusal refusal) {
                            outcome.refused(refusal);
                        } catch (BrokenReply e) {
                            outcome.refused(wrong(e));
                        }
                    }

                    @Override
                    public void failed(IOException why) {
                        outcome.refused(new Refusal(Refusal.Why.AWAY, "the sidecar went away: " + why));
                    }

                    @Override
                    public void untold() {
                        outcome.unknown();
                    }
                }),
                to -> Asks.commit(to, session, terms, changes));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return true;
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
    public boolean end(String session, boolean follow) throws Refusal {
        AtomicInteger tries = new AtomicInteger();
        Answer answer = call(to -> {
            tries.incrementAndGet();
            Asks.end(to, session, follow);
        });
        return Boolean.TRUE.equals(decode(reply -> reply.integer() == 1 || tries.get() > 1, answer));
    }

    @Override
    public @Nullable Opened reap(String session) throws Refusal {
        return decode(reply -> Answers.opened(reply, number -> null), call(to -> Asks.reap(to, session)));
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

    /**
     * Nobody answers any more who has answered before: whether a request of a session has to be refused. What this JVM does not hold is in the store; what it
     * holds may be old. A JVM that never had a sidecar has all there is.
     */
    public boolean isMissed(boolean held) {
        return uplink.hasMet() && (uplink.refuses() || !held);
    }

    /** To be called regularly, by a thread of its own: frees threads whose request is never answered. */
    public void watch() {
        watch(System.nanoTime());
    }

    void watch(long now) {
        uplink.watch(now);
    }

    /** To be called regularly, by one thread: looks whether the sidecar is back. */
    public void look() {
        look(System.nanoTime());
    }

    void look(long now) {
        if (!outage.isSpent() || !nextLook.isDue(now)) {
            return;
        }
        try {
            // Answered without the store.
            once(Asks::ping, true);
            outage.over();
        } catch (IOException | Refusal e) {
            nextLook.failed(now, e);
            Log.debug("still no answer from the sidecar: " + e);
        }
    }

    private Answer call(Ask ask) throws Refusal {
        // A channel closes itself when its thread is interrupted; the application's interrupt is not meant for it.
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                if (outage.isSpent()) {
                    throw new Refusal(Refusal.Why.AWAY, "the sidecar is away");
                }
                try {
                    Answer answer = once(ask, false);
                    outage.over();
                    check(answer.reply);
                    return answer;
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

    private Answer once(Ask ask, boolean looks) throws IOException, Refusal {
        Answer answer = byKnown(ask);
        if (answer != null) {
            return answer;
        }
        Line fresh = uplink.connected(looks);
        try {
            return exchange(fresh, ask);
        } catch (IOException e) {
            hangs(fresh, e);
            throw e;
        }
    }

    /** Null: no line works. By a method of its own, for this thread must not have one that broke while the next is made. */
    private @Nullable Answer byKnown(Ask ask) throws BrokenReply, Refusal {
        Line known = uplink.line();
        if (known == null) {
            return null;
        }
        try {
            return exchange(known, ask);
        } catch (BrokenReply e) {
            throw e;
        } catch (IOException e) {
            // The sidecar was restarted since: no outage, if a new connection works.
            hangs(known, e);
            return null;
        }
    }

    private void hangs(Line at, IOException why) throws Refusal {
        if (at.isOverdue()) {
            outage.hangs(why);
            throw new Refusal(Refusal.Why.AWAY, "the sidecar does not answer");
        }
    }

    private Answer exchange(Line at, Ask ask) throws IOException {
        Call call = new Call(null);
        send(at, call, ask);
        return new Answer(call.await(), at);
    }

    private void send(Line at, Call call, Ask ask) {
        RequestEncoder spare = encoders.take();
        RequestEncoder request = spare == null ? new RequestEncoder() : spare;
        long tag = at.nextTag();
        ask.encode(request.tag(tag));
        at.send(tag, call, request);
        request.clear();
        encoders.giveBack(request);
    }

    private static void check(Reply reply) throws Refusal {
        if (reply.kind != Reply.Kind.ERROR) {
            return;
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

    private static <T> @Nullable T decode(Decode<T> how, Answer answer) throws Refusal {
        try {
            return how.from(answer.reply);
        } catch (BrokenReply e) {
            throw wrong(e);
        }
    }

    private static Refusal wrong(BrokenReply reply) {
        Log.warnOnce("the sidecar's answer was not understood: " + reply.getMessage());
        return new Refusal(Refusal.Why.WRONG, String.valueOf(reply.getMessage()));
    }
}
