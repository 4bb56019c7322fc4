package dev.sojourn.agent.client;

import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.wire.BrokenReply;
import dev.sojourn.agent.wire.Reply;
import dev.sojourn.agent.wire.RequestEncoder;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One connection for the requests of all threads: what several of them have to say leaves in one write, and one thread reads
 * the replies, as many at a time as there are. Under load that is what a request costs least with.
 */
final class Line {
    /** Goes with its ticket: the page has far more slots than an application has sessions in use. */
    private static final class Held extends WeakReference<Ticket> {
        final Integer slot;

        Held(Ticket ticket, int slot, ReferenceQueue<Ticket> queue) {
            super(ticket, queue);
            this.slot = slot;
        }
    }

    // Made before it is needed: there may be no memory then, and of a line that nobody gave up nobody would go on.
    private static final IOException UNREAD = new IOException("replies are not read any more");

    private final Connection connection;
    /** Null: the sidecar has none, or one that cannot be used here. */
    private final @Nullable Page page;
    /** For the tickets: nothing of it counts any more once this has broken. */
    private final AtomicReference<@Nullable Page> trusted;

    private final ConcurrentHashMap<Long, Call> calls = new ConcurrentHashMap<>();
    /** By their slots on the page, which are given to one session after the other. */
    private final ConcurrentHashMap<Integer, Held> tickets = new ConcurrentHashMap<>();
    /** Of tickets that nobody has any more. */
    private final ReferenceQueue<Ticket> given = new ReferenceQueue<>();

    private final AtomicLong tags = new AtomicLong();

    private final Outbox outbox;

    /** Why, if it has. */
    private volatile @Nullable IOException broken;
    /** Given up because it did not answer, not because it went away. */
    private volatile boolean overdue;

    Line(Connection connection, @Nullable Page page) {
        this.connection = connection;
        this.page = page;
        this.outbox = new Outbox(connection::write, Pause.FOR_OTHERS);
        this.trusted = new AtomicReference<>(page);
    }

    /** Reads replies until the connection breaks, on a thread of its own. */
    void start(ThreadFactory threads) throws IOException {
        try {
            threads.newThread(this::read).start();
        } catch (OutOfMemoryError e) {
            throw new Connection.NoMemory(
                    "no thread for a connection (" + e.getMessage()
                            + "): raise the limit of processes, or leave the JVM more memory outside the heap",
                    e);
        }
    }

    boolean isBroken() {
        return broken != null;
    }

    boolean isOverdue() {
        return overdue;
    }

    /** The same for the same number, as long as somebody has it; 0 is none. */
    @Nullable
    Ticket ticket(long number) {
        if (page == null || number == 0) {
            return null;
        }
        Ticket known = known(number);
        if (known != null) {
            return known;
        }
        for (Reference<?> old = given.poll(); old != null; old = given.poll()) {
            tickets.remove(((Held) old).slot, old);
        }
        Ticket ticket = new Ticket(trusted, number);
        tickets.put(page.slot(number), new Held(ticket, page.slot(number), given));
        return ticket;
    }

    /** Null: nobody has it. */
    private @Nullable Ticket known(long number) {
        Held at = page == null ? null : tickets.get(page.slot(number));
        Ticket ticket = at == null ? null : at.get();
        return ticket == null || ticket.number != number ? null : ticket;
    }

    /** To encode a request with. */
    long nextTag() {
        return tags.incrementAndGet();
    }

    /** What was encoded leaves with what others have to say. The call is told of a failure, as all calls are, or it is thrown. */
    void send(long tag, Call call, RequestEncoder request) {
        Long key = tag;
        calls.put(key, call);
        try {
            send(request);
        } catch (RuntimeException | Error e) {
            // There was no room for it, or no memory to tell all of a break with: it is told, or this is thrown, not
            // both.
            if (calls.remove(key) != null) {
                throw e;
            }
            return;
        }
        // Also by who does not write: a line that has broken lets nobody write any more.
        IOException why = broken;
        if (why != null) {
            // It broke before this call was there to be told.
            fail(key, why);
        }
    }

    private void send(RequestEncoder request) {
        try {
            outbox.send(request);
        } catch (IOException e) {
            // By itself: at the end of the stack the rest may fail, and is done by who watches.
            broken = e;
            fail(e);
        }
    }

    private void read() {
        try {
            while (true) {
                List<Reply> message = connection.await().elements();
                if (message.size() == 2) {
                    answer(message.get(0).integer(), message.get(1));
                } else {
                    tell(message);
                }
            }
        } catch (IOException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(UNREAD);
            Log.warnOnce("the sidecar's replies could not be read, the connection is closed, this is a bug: ", e);
        }
    }

    private void answer(long tag, Reply reply) {
        Call call = calls.remove(tag);
        if (call != null) {
            call.answer(reply);
        }
    }

    /** Taken up by whoever comes for the session next. */
    private void tell(List<Reply> message) throws BrokenReply {
        News news = Answers.news(message, this::known);
        if (news != null && news.opened.ticket != null) {
            news.opened.ticket.tell(news);
        }
    }

    /** {@code ranNanos}: how long this JVM ran by now. */
    void closeIfOverdue(long ranNanos, long timeoutMillis) {
        letGo();
        long timeout = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        for (Call call : calls.values()) {
            if (call.isOverdue(ranNanos, timeout)) {
                overdue = true;
                fail(new IOException("no answer for " + timeoutMillis + " ms"));
                return;
            }
        }
    }

    void fail(IOException why) {
        if (broken == null) {
            broken = why;
        }
        letGo();
    }

    /** If it has broken: it is closed, and all who wait are told. Where there is no memory for that this fails, and is to be called again. */
    void letGo() {
        IOException why = broken;
        if (why == null) {
            return;
        }
        outbox.close();
        trusted.set(null);
        connection.close();
        for (Long tag : calls.keySet()) {
            fail(tag, why);
        }
    }

    private void fail(Long tag, IOException why) {
        Call call = calls.remove(tag);
        if (call == null) {
            return;
        }
        try {
            call.fail(why);
        } catch (Throwable e) {
            // The others wait too.
            Log.warnOnce("a request could not be told that the sidecar went away, this is a bug: ", e);
        }
    }
}
