package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One session in this JVM: its attributes, the version they are of, and how they get into the store. */
public final class SessionState {
    /** The container's session object. */
    public interface Host {
        long created();

        /** Seconds, 0 or less for never. */
        int idle();

        /** Another has set it. */
        void idleIs(int seconds);

        /** False: the container's settings keep this attribute in this JVM. */
        boolean mayLeave(String attribute, Object value);

        /** This copy of the session is not to be used any more; the application's listeners are not concerned. */
        void gone();

        /** An attribute's object is to be told that it came into this JVM. */
        boolean hears(Object value);

        /** One that {@link #hears} came into this JVM. */
        void activated(Object value);
    }

    /** Nobody ever has this one: what is committed with it is refused. */
    private static final long LOST_LOCK = Long.MAX_VALUE;

    private final Home home;
    private final Host host;
    private final Attributes attributes;
    private final Members members;
    /** Requests in flight that use it. */
    private final AtomicInteger users = new AtomicInteger();

    private final Strays strays;

    private final Known known;
    private final Commits commits;
    private final Life life;
    /** While a request has it for itself in the whole cluster: proof of it, or {@link #LOST_LOCK}. */
    private final AtomicLong lock = new AtomicLong(Opened.NO_LOCK);

    public SessionState(Home home, Host host, String name) {
        this.home = home;
        this.host = host;
        this.attributes = new Attributes(home, host);
        this.strays = new Strays(home, this, attributes);
        this.members = new Members(home, host, attributes);
        this.known = new Known(attributes);
        this.commits = new Commits(home, this, attributes, known);
        this.life = new Life(home, this, known, commits, name);
    }

    /** How it begins in the store, and ends. */
    public Life life() {
        return life;
    }

    public String name() {
        return life.name();
    }

    public long version() {
        return known.version();
    }

    /** True: at this moment nobody has a newer version. False: one has to ask. */
    public boolean isNewest() {
        return known.isNewest();
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
        // Frameworks set what they have only read: to send that would be to undo what another pod has committed since.
        // Not of a thread of no request: before it is compared, a request may drop it for what others have committed.
        boolean compared = home.requests.current() != null;
        String group = members.placeOf(attributeName, value);
        Attribute alone = attributes.find(attributeName);
        if (group == null) {
            leaveGroup(attributeName);
            touch(attributes.set(attributeName, value, compared));
        } else {
            touch(members.put(group, attributeName, value, compared));
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

    /**
     * The store's answer to what changed since {@code held}. False: it consists of deltas of other bytes than those here;
     * ask for the whole session.
     */
    public boolean opened(Opened answer, long held) {
        int before = known.idle();
        return known.opened(answer, held, isInUse()) && followed(before);
    }

    /** Who has not set the time-out here has the store's: a commit would undo what another has set. */
    private boolean followed(int before) {
        if (idleSeconds() == before) {
            host.idleIs(known.idle());
        }
        return true;
    }

    /** What the sidecar has told of what became of the version here, for {@link #told}; null: one has to ask. */
    public @Nullable Opened news() {
        return known.news();
    }

    /** As {@link #opened}, where the store does not know of an access now. */
    public boolean told(Opened news, long held) {
        int before = known.idle();
        return known.told(news, held, isInUse()) && followed(before);
    }

    /**
     * To be called after an answer was taken, and before anybody reads: what others have committed takes the place of the objects that are here, unless
     * those were changed. That runs the application's code, which waits for whoever has them: not with a lock that such a thread may want.
     */
    public void compareBehind() {
        attributes.compareBehind();
    }

    /** As an access. False if nobody answered: it is worth trying again. */
    boolean commit() {
        return commit(Collections.emptySet(), lock(), false, null);
    }

    /** Something was set or removed here, and may be in no commit yet. One that the store does not have is of nobody's but the request that makes it. */
    boolean wasSet() {
        return version() > 0 && attributes.perhapsDirty();
    }

    /**
     * With a request still at it, what it has set, not what it has only read: false if nobody answered. What cannot be written now may be
     * whole when the request ends.
     */
    boolean commitSet(boolean passive) {
        return commits.commitSet(this::lock, passive);
    }

    /** As {@link #commitSet}, by a request that is about to flush. Where nobody has answered before, the backlog tries again: not each flush waits for that. */
    void flush(long by, boolean passive) {
        if (!home.backlog.isUncommitted(this)) {
            commits.commitSet(() -> lock() == LOST_LOCK ? LOST_LOCK : by, passive);
        }
    }

    /** With what threads of no request may have changed in place long after they had asked for it. */
    public void commitStrayed() {
        strays.commitAllEver();
    }

    /** False if nobody answered: {@link Commits#catchUp}. */
    boolean catchUp() {
        return commits.catchUp();
    }

    /** Sends what changed: {@link Commits#commit}. */
    boolean commit(Set<Attribute> touched, long by, boolean passive, @Nullable Later later) {
        return commits.commit(touched, lock() == LOST_LOCK ? LOST_LOCK : by, passive, later);
    }

    /** It has ended elsewhere, and the container did not know. */
    void lost() {
        life.endedElsewhere();
        host.gone();
    }

    /**
     * Asks for what others have committed, as a request would, but it is no access. What is answered has to be taken: the sidecar tells it once. False: there is
     * no such session.
     */
    boolean ask() throws Refusal {
        long held = version();
        Opened since = home.sidecar.open(name(), held, true);
        if (since != null && !told(since, held)) {
            Opened whole = home.sidecar.open(name(), 0, true);
            if (whole != null) {
                told(whole, 0);
            }
        }
        compareBehind();
        return since != null;
    }

    long createdAt() {
        return host.created();
    }

    /** {@link Opened#NO_LOCK} if no request has it for itself. */
    long lock() {
        return lock.get();
    }

    public boolean isInUse() {
        return users.get() > 0;
    }

    /** Others than the request that this thread works on, if on any, use it. */
    boolean isShared() {
        return users.get() > (home.requests.used() == null ? 0 : 1);
    }

    /** Everything of it can be had from the store again, so this JVM can forget it. */
    public boolean isEvictable() {
        return !isInUse() && version() > 0 && strays.isEmpty() && attributes.allStored();
    }

    /** Nobody uses it, and nothing of it waits to be committed. What cannot leave this JVM may be there. */
    public boolean isIdle() {
        return !isInUse() && version() > 0 && !attributes.anyDirty();
    }

    /** Something of it cannot leave this JVM. */
    public boolean hasLocal() {
        return attributes.anyLocal();
    }

    /** What that is of the application's, by its names. From now on it is not in the session. */
    public Map<String, Object> takeLocal() {
        return attributes.takeLocal();
    }

    /** The objects that the application has seen or set. */
    public List<Object> inMemory() {
        return attributes.inMemory();
    }

    /** Tells those objects, of which some {@code hear}; what they change in themselves by that is not sent. */
    public void passivate(Predicate<Object> hear) {
        attributes.passivate(hear, this::isInUse);
    }

    /** Its time-out is the one that the store knows. */
    public boolean isIdleCommitted() {
        return idleSeconds() == known.idle();
    }

    boolean isApplicationBound() {
        return home.serializer.isBound();
    }

    void acquire() {
        users.incrementAndGet();
    }

    void release() {
        users.decrementAndGet();
    }

    /** -1 for never. */
    public int idleSeconds() {
        int seconds = host.idle();
        return seconds > 0 ? seconds : -1;
    }

    /** The request at work has the session for itself until it ends. */
    public void claimed(long by) {
        lock.set(by);
    }

    /** Asked by whoever has it for himself now: the one who had it before lost it, and may still be at work on this object. */
    public boolean isOvertaken() {
        return life.hasEnded() || lock() != Opened.NO_LOCK;
    }

    /** It goes on as another object. What is done to this one is not sent any more, not even once the request that lost it has ended. */
    public void overtaken() {
        lock.set(LOST_LOCK);
    }

    /** The request has ended, and so has its claim; if that was lost before, somebody else's is left alone. */
    void giveBack(long claim) {
        if (lock() == LOST_LOCK) {
            // A sidecar that has started anew may have given its number to the one who has it now.
            return;
        }
        // Before the store knows: whoever waits for it claims it at once, and would take this object for one in use.
        lock.compareAndSet(claim, Opened.NO_LOCK);
        unlock(claim);
    }

    /** What was not given back because the request that had it ended without memory for it: nobody would have the session again. */
    public void giveBackLeft() {
        // Before it is asked whether it is in use: whoever claims it after this has another one.
        long left = lock();
        if (left != Opened.NO_LOCK && left != LOST_LOCK && !isInUse() && lock.compareAndSet(left, Opened.NO_LOCK)) {
            unlock(left);
        }
    }

    private void unlock(long claim) {
        try {
            home.sidecar.unlock(name(), claim);
        } catch (Refusal e) {
            Log.debug("a session was not given back, it is free when its lock ends by itself: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            // To be given back later, unless somebody has claimed it since: then it was.
            lock.compareAndSet(Opened.NO_LOCK, claim);
            throw e;
        }
    }

    /** The end of a long request. A commit near its end has said it already. */
    void accessedUntilNow(long requestNanos) {
        if (life.hasEnded() || version() == 0 || known.nanosSinceTold() < requestNanos / 4) {
            return;
        }
        try {
            home.sidecar.touch(name());
        } catch (Refusal e) {
            Log.debug("the end of a long request was not told: " + e.getMessage());
        }
    }

    /** What threads have touched that belong to no request, as far as one can tell. */
    Strays strays() {
        return strays;
    }

    private void touch(Attribute attribute) {
        if (life.hasEnded()) {
            return;
        }
        Scope scope = home.requests.current();
        if (scope != null) {
            scope.touch(this, attribute);
        } else {
            strays.add(attribute);
        }
    }
}
