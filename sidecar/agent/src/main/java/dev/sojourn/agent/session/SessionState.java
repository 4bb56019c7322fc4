package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.client.Ticket;
import dev.sojourn.agent.core.Log;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One session in this JVM: its attributes, the version they are of, and how they get into the store. */
public final class SessionState {
    /** The container's session object. */
    public interface Host {
        long created();

        /** Seconds, 0 or less for never. */
        int idle();

        /** False: the container's settings keep this attribute in this JVM. */
        boolean mayLeave(String attribute, Object value);

        /** This copy of the session is not to be used any more; the application's listeners are not concerned. */
        void gone();

        /** An attribute's object came into this JVM. */
        void activated(Object value);
    }

    /** The protocol's: for so long an access may stay untold. */
    private static final long UNTOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Home home;
    private final Host host;
    private final Attributes attributes;
    private final Members members;
    /** Requests in flight that use it. */
    private final AtomicInteger users = new AtomicInteger();

    private final Strays strays = new Strays();

    /** Held while an answer is taken: version and attributes change together. */
    private final ReentrantLock taking = new ReentrantLock();

    /** Held over the conversation with the sidecar: the commits of one session from this JVM go one after the other. */
    private final Turn committing = new Turn();

    private volatile String name;
    private volatile boolean ended;
    /** While a request has it for itself in the whole cluster: proof of it. */
    private volatile long lock = Opened.NO_LOCK;

    /** When an answer last showed that the store knows of an access; {@link System#nanoTime}. */
    private volatile long lastTold = System.nanoTime();
    /** Null: the sidecar has to be asked whether the version here is the newest. */
    private volatile @Nullable Ticket ticket;

    private volatile int committedIdle;
    /** 0: the store has nothing of it yet. Written under {@link #taking}, together with the attributes that it is the version of. */
    private volatile long version;

    public SessionState(Home home, Host host, String name) {
        this.home = home;
        this.host = host;
        this.name = name;
        this.attributes = new Attributes(home, host);
        this.members = new Members(home, host, attributes);
    }

    public String name() {
        return name;
    }

    public long version() {
        return version;
    }

    /** True: at this moment nobody has a newer version. False: one has to ask. */
    public boolean isNewest() {
        Ticket at = ticket;
        long held = version;
        return at != null && held > 0 && System.nanoTime() - lastTold < UNTOLD_NANOS && at.saysNewest(held);
    }

    public @Nullable Object get(String attributeName) {
        Attribute attribute = attributes.find(attributeName);
        Object value = attribute == null ? null : attribute.read(home, host);
        if (value == null) {
            attribute = members.groupOf(attributeName);
            value = attribute == null ? null : members.get(attribute, attributeName);
        }
        if (attribute != null
                && value != null
                && !Attribute.isContainers(attributeName)
                && !Immutables.contains(value)) {
            touch(attribute);
        }
        return value;
    }

    /** Returns the value before. */
    public @Nullable Object set(String attributeName, Object value) {
        Object before = look(attributeName);
        String group = members.placeOf(attributeName, value);
        Attribute alone = attributes.find(attributeName);
        if (group == null) {
            leaveGroup(attributeName);
            touch(attributes.set(attributeName, value));
        } else {
            touch(members.put(group, attributeName, value));
            if (alone != null) {
                attributes.remove(alone);
                touch(alone);
            }
        }
        return before;
    }

    /** Returns the value before. */
    public @Nullable Object remove(String attributeName) {
        Object before = look(attributeName);
        Attribute alone = attributes.find(attributeName);
        if (alone != null) {
            attributes.remove(alone);
            touch(alone);
        }
        leaveGroup(attributeName);
        return before;
    }

    /** What the application sees. */
    public Set<String> names() {
        Set<String> names = attributes.names();
        members.addNames(names);
        return names;
    }

    /** As {@link #get}, and nobody will change what it returns. */
    private @Nullable Object look(String attributeName) {
        Attribute alone = attributes.find(attributeName);
        Object value = alone == null ? null : alone.read(home, host);
        if (value != null) {
            return value;
        }
        Attribute group = members.groupOf(attributeName);
        return group == null ? null : members.get(group, attributeName);
    }

    private void leaveGroup(String attributeName) {
        Attribute group = members.groupOf(attributeName);
        if (group != null) {
            members.remove(group, attributeName);
            touch(group);
        }
    }

    /** Just created here: to be committed even without an attribute. */
    public void created() {
        Scope scope = home.requests.current();
        if (scope == null) {
            home.backlog.uncommitted(this);
        } else {
            scope.use(this);
        }
    }

    /**
     * The store's answer to what changed since {@code held}. False: it consists of deltas of other bytes than those here;
     * ask for the whole session.
     */
    public boolean opened(Opened answer, long held) {
        taking.lock();
        try {
            return take(answer, held);
        } finally {
            taking.unlock();
        }
    }

    private boolean take(Opened answer, long held) {
        lastTold = System.nanoTime();
        ticket = answer.ticket;
        boolean replaces = answer.changes.whole || answer.version < held;
        if (held > 0 && replaces ? version != held : answer.version <= version) {
            // A commit or another request's answer was faster and knows more.
            return true;
        }
        List<Change> changes = attributes.resolved(answer.changes.list);
        if (changes == null) {
            return false;
        }
        attributes.apply(changes, held == 0 || replaces, isInUse());
        version = answer.version;
        committedIdle = answer.idle;
        return true;
    }

    /** False if nobody answered: it is worth trying again. */
    public boolean commit() {
        return commit(Collections.emptySet());
    }

    boolean commit(Set<Attribute> touched) {
        return commit(touched, null);
    }

    /**
     * Sends what changed; {@code touched} are those that may have been changed in place. With {@code later} it may return before the answer is
     * there: then {@code later} has begun.
     */
    boolean commit(Set<Attribute> touched, @Nullable Later later) {
        if (ended || !mayNeedCommit(touched)) {
            return true;
        }
        committing.take();
        boolean left = false;
        try {
            List<Pending> pending = attributes.pending(touched, version == 0);
            if (!ended && (!pending.isEmpty() || version == 0 || idleSeconds() != committedIdle)) {
                left = later != null && leave(pending, later);
                if (left) {
                    return true;
                }
                send(pending);
            }
            sent();
            return true;
        } catch (Refusal e) {
            refused(e);
            return !e.later();
        } finally {
            if (!left) {
                committing.giveBack();
            }
        }
    }

    private void sent() {
        if (attributes.isTorn() && !ended) {
            // Once that other thread is done, though no request may come.
            home.backlog.uncommitted(this);
        } else {
            home.backlog.committed(this);
        }
    }

    /** Sends without waiting for the answer; false: nothing was done. */
    private boolean leave(List<Pending> pending, Later later) {
        List<Change> changes = new CommitBatches(home, pending, version == 0).atOnce();
        if (changes == null || lock != Opened.NO_LOCK || !committing.isTakenOnce()) {
            return false;
        }
        int idle = idleSeconds();
        later.begin();
        acquire();
        committing.leave();
        LeftCommit left = new LeftCommit(this, home.late, pending, idle, later);
        if (home.sidecar.beginCommit(name, version, idle, host.created(), changes, left)) {
            return true;
        }
        committing.takeLeft();
        release();
        later.end();
        return false;
    }

    /**
     * The answer to what was left. False: another thread takes an answer just now, and may run the application's code with that; to be done again by
     * one that {@code mayWait}.
     */
    boolean landed(Committed answer, List<Pending> pending, int idle, boolean mayWait) {
        if (mayWait) {
            taking.lock();
        } else if (!taking.tryLock()) {
            return false;
        }
        try {
            for (Pending one : pending) {
                one.committed();
            }
            told(idle);
            committed(answer);
            attributes.tidy(pending);
        } finally {
            taking.unlock();
        }
        sent();
        return true;
    }

    /** What was left did not get there, or not like that. By a thread that may wait. */
    void notLanded(Refusal refusal, List<Pending> pending) {
        try {
            if (refusal.why != Refusal.Why.AWAY
                    && refusal.why != Refusal.Why.MISSING
                    && refusal.why != Refusal.Why.TOO_LARGE) {
                throw refusal;
            }
            send(pending);
            sent();
        } catch (Refusal e) {
            refused(e);
        }
    }

    /** What was left is over. */
    void left() {
        committing.giveBackLeft();
        release();
    }

    /** A new name for the same session, in the store too. */
    public void rename(String renamed) {
        committing.take();
        String old = name;
        try {
            name = renamed;
            ticket = null;
            if (version > 0 && !ended) {
                long there = home.sidecar.rename(old, renamed, version);
                // What others committed in between comes whole with the next opening: the sidecar knows what we lacked.
                version = Math.max(there, 1);
            }
        } catch (Refusal e) {
            renameRefused(e, old);
        } finally {
            committing.giveBack();
        }
    }

    /** Ends it for good, here and in the store, before this returns. */
    public void end() {
        committing.take();
        try {
            if (!ended) {
                ended = true;
                if (version > 0) {
                    home.backlog.end(name);
                }
            }
            home.backlog.committed(this);
        } finally {
            committing.giveBack();
        }
    }

    /** It has ended elsewhere: nothing is to be said to the store any more. */
    public void endedElsewhere() {
        ended = true;
        home.backlog.committed(this);
    }

    public boolean isInUse() {
        return users.get() > 0;
    }

    /** Everything of it is in the store, so this JVM can forget it. */
    public boolean isEvictable() {
        return !isInUse() && version > 0 && strays.isEmpty() && attributes.allStored();
    }

    /** Nobody uses it, and nothing of it waits to be committed. What cannot leave this JVM may be there. */
    public boolean isIdle() {
        return !isInUse() && version > 0 && !attributes.anyDirty();
    }

    /** The objects that the application has seen or set. */
    public List<Object> inMemory() {
        return attributes.inMemory();
    }

    /** Its time-out is the one that the store knows. */
    public boolean isIdleCommitted() {
        return idleSeconds() == committedIdle;
    }

    boolean isApplicationRunning() {
        return home.serializer.isBound();
    }

    void acquire() {
        users.incrementAndGet();
    }

    void release() {
        users.decrementAndGet();
    }

    /** -1 for never. */
    int idleSeconds() {
        int seconds = host.idle();
        return seconds > 0 ? seconds : -1;
    }

    /** The request at work has the session for itself until it ends. */
    public void claimed(long by) {
        lock = by;
    }

    /** The request has ended, and so has its claim; if that was lost before, somebody else's is left alone. */
    void giveBack(long claim) {
        if (lock == claim) {
            lock = Opened.NO_LOCK;
        }
        try {
            home.sidecar.unlock(name, claim);
        } catch (Refusal e) {
            Log.debug("a session was not given back, it is free when its lock ends by itself: " + e.getMessage());
        }
    }

    /** The end of a long request. A commit near its end has said it already. */
    void accessedUntilNow(long requestNanos) {
        if (ended || version == 0 || System.nanoTime() - lastTold < requestNanos / 4) {
            return;
        }
        try {
            home.sidecar.touch(name);
        } catch (Refusal e) {
            Log.debug("the end of a long request was not told: " + e.getMessage());
        }
    }

    void commitStrays() {
        commit(strays.take(!home.requests.any()));
    }

    boolean hasNoStrays() {
        return strays.isEmpty();
    }

    private void touch(Attribute attribute) {
        if (ended) {
            return;
        }
        Scope scope = home.requests.current();
        if (scope != null) {
            scope.touch(this, attribute);
        } else {
            strays.add(attribute);
            home.backlog.stray(this);
        }
    }

    private boolean mayNeedCommit(Set<Attribute> touched) {
        return !touched.isEmpty() || version == 0 || attributes.perhapsDirty() || idleSeconds() != committedIdle;
    }

    private void send(List<Pending> pending) throws Refusal {
        CommitBatches batches = new CommitBatches(home, pending, version == 0);
        while (!batches.isDone()) {
            int idle = idleSeconds();
            Committed committed =
                    batches.next(changes -> home.sidecar.commit(name, version, idle, host.created(), lock, changes));
            if (committed != null) {
                told(idle);
                committed(committed);
            }
        }
        attributes.tidy(pending);
    }

    private void told(int idle) {
        lastTold = System.nanoTime();
        committedIdle = idle;
    }

    private void committed(Committed answer) {
        taking.lock();
        try {
            if (answer.version > version || answer.others.whole) {
                attributes.apply(answer.others.list, answer.others.whole, isInUse());
                version = answer.version;
            }
        } finally {
            taking.unlock();
        }
    }

    private void refused(Refusal refusal) {
        if (refusal.why == Refusal.Why.BUSY) {
            Log.warn("changes are dropped, another request has taken the session over while this pod was paused or cut"
                    + " off: context=" + home.label() + "; see concurrency=exclusive");
        }
        if (refusal.why == Refusal.Why.GONE || refusal.why == Refusal.Why.BUSY) {
            endedElsewhere();
            host.gone();
        } else if (refusal.later()) {
            home.backlog.uncommitted(this);
        }
    }

    /** It goes on under its new name as if it were new; the old one ends as soon as somebody listens. */
    private void renameRefused(Refusal refusal, String old) {
        if (refusal.later()) {
            taking.lock();
            version = 0;
            taking.unlock();
            home.backlog.endLater(old);
            home.backlog.uncommitted(this);
        } else {
            refused(refusal);
        }
    }
}
