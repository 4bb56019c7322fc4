package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.core.Log;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Life;
import dev.sojourn.agent.session.SessionState;
import java.security.Principal;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;

/** Tomcat's session object over a {@link SessionState}. One per session and JVM, shared by concurrent requests. */
public final class SojournSession extends StandardSession implements SessionState.Host, Presence.Copy {
    private static final long serialVersionUID = 1L;
    private final transient SojournManager owner;
    private final transient SessionState state;
    private final transient Life life;
    private final transient Login login;
    private final transient Naming naming;
    /** This object is what its end is told with: whoever hears that it is over meanwhile leaves it as it is. */
    private transient volatile boolean ends;

    /** Held by who ends it: the store is asked meanwhile, and a virtual thread that waits with a monitor keeps its core from all others (until JDK 24). */
    private final transient ReentrantLock ending = new ReentrantLock();

    private final transient Presence presence = new Presence(this, Presence.PATIENCE_NANOS);

    SojournSession(SojournManager owner, Home home) {
        super(owner);
        this.owner = owner;
        this.state = new SessionState(home, this, "");
        this.life = state.life();
        this.login = new Login(state);
        this.naming = new Naming(owner, this);
        this.attributes = new AttributeMap(state, login::user);
    }

    SessionState state() {
        return state;
    }

    /** A session that this JVM did not hold. Nobody is told: it was created elsewhere, long ago. */
    void restore(String restoredId, Generation restored, Opened opened) {
        setCreationTime(opened.created);
        usedAfter(opened.accessed);
        maxInactiveInterval = opened.idle;
        id = restoredId;
        naming.restored(restoredId, restored);
        take(opened, 0);
        isNew = false;
        isValid = true;
    }

    Naming naming() {
        return naming;
    }

    Generation generation() {
        return naming.generation();
    }

    /** What the store knows more of a session that this JVM holds; false: its deltas do not fit. */
    boolean refresh(Opened opened, long held) {
        if (!take(opened, held)) {
            return false;
        }
        usedAfter(opened.accessed);
        return true;
    }

    /** An access that nobody is told of, if at this moment nobody has a newer version than this JVM, perhaps by what it was told. */
    boolean useNewest() {
        long before = thisAccessedTime;
        while (!state.isNewest()) {
            long version = state.version();
            Opened news = state.news();
            if (news == null || !state.told(news, version)) {
                return false;
            }
            before = news.accessed;
        }
        usedAfter(before);
        return true;
    }

    private boolean take(Opened opened, long held) {
        return owner.isPassive() ? state.told(opened, held) : state.opened(opened, held);
    }

    private void usedAfter(long before) {
        if (owner.isPassive()) {
            thisAccessedTime = Math.max(thisAccessedTime, before);
            lastAccessedTime = thisAccessedTime;
        } else {
            lastAccessedTime = before;
            thisAccessedTime = System.currentTimeMillis();
        }
    }

    /** Of a request that is no access Tomcat takes no note either. */
    @Override
    public void access() {
        if (!owner.isPassive()) {
            super.access();
        }
    }

    @Override
    public void endAccess() {
        if (owner.isPassive()) {
            isNew = false;
        } else {
            super.endAccess();
        }
    }

    /** Idle for as long as it may be, and {@code more} milliseconds; by this JVM's clock and memory. */
    boolean isIdleTooLong(long more) {
        int seconds = maxInactiveInterval;
        return seconds > 0 && idleMillis() >= seconds * 1_000L + more;
    }

    private long idleMillis() {
        return System.currentTimeMillis() - lastUsed();
    }

    /** Milliseconds since the epoch, of this JVM's clock. */
    long lastUsed() {
        return thisAccessedTime;
    }

    /** It goes on elsewhere, or in the store: only this copy goes. False: it is needed still. */
    boolean forget() {
        state.commitStrayed();
        if (!state.isIdle()) {
            // Nobody has answered, or a request has come for it.
            return false;
        }
        owner.adoption().forget(this);
        return presence.leave();
    }

    /** A request has it. What was told that it leaves this JVM is told that it is here again. */
    void present() {
        presence.comeBack();
    }

    @Override
    public boolean isWanted() {
        return state.isInUse() || owner.has(this);
    }

    @Override
    public void takeBack() {
        owner.adoption().takeBack(this);
    }

    /** What could not leave this JVM ends with the copy that had it. Nobody else can tell it. Not by a thread that has locks of the session. */
    void unbindLocal() {
        Map<String, Object> local;
        // Not while Tomcat does it, in expire.
        synchronized (this) {
            local = state.takeLocal();
        }
        unbind(local);
    }

    private void unbind(Map<String, Object> local) {
        local.forEach((name, value) -> Activation.unbound(this, name, value));
    }

    /** It is in this JVM again, with what it had when it was forgotten. */
    @Override
    public void activate() {
        for (Object value : state.inMemory()) {
            activated(value);
        }
    }

    /** What its attributes change now is not sent: the user may have gone on elsewhere long ago. */
    @Override
    public void passivate() {
        state.passivate(value -> Activation.passivated(this, value));
    }

    /**
     * It ends in the store before anybody hears of it: of those who end it at once, here and elsewhere, one tells the application's listeners. What
     * only this JVM has, such as a login at its valve, ends with each.
     */
    @Override
    public void expire(boolean notify) {
        // It must not be over here before those who end it too know who ended it.
        ending.lock();
        try {
            if (!isValid || expiring) {
                return;
            }
            ends = true;
            boolean tells = true;
            try {
                tells = life.end();
            } finally {
                // Also where there was no memory to end it with, if it is ended later: nobody else is told by then.
                ends = life.hasEnded();
                if (ends) {
                    ended(notify, tells);
                }
            }
        } finally {
            ending.unlock();
        }
    }

    /** {@code tells}: it was this that ended it. Under Tomcat's own lock. */
    private synchronized void ended(boolean notify, boolean tells) {
        Map<String, Object> local = notify && !tells ? state.takeLocal() : Collections.emptyMap();
        super.expire(notify && tells);
        if (notify && !tells) {
            fireSessionEvent(SESSION_DESTROYED_EVENT, null);
            unbind(local);
        }
    }

    /** The store says that it has ended by its clock, and that it is for this JVM to tell the listeners. */
    void expired() {
        ending.lock();
        try {
            if (ends) {
                return;
            }
            ends = true;
            // From now on nothing of it is committed, whatever the listeners do.
            life.endedElsewhere();
            // A request may have heard already that it is over.
            setValid(true);
            super.expire(true);
        } finally {
            ending.unlock();
        }
    }

    /** It has ended elsewhere, where its listeners were told. */
    void discard() {
        life.endedElsewhere();
        if (!ends) {
            setValid(false);
            owner.unbindLater(this);
        }
        owner.remove(this, false);
    }

    void opens(String key) {
        naming.opens(key);
    }

    /** The store is the judge of idle time; see {@link SojournManager#findSession}. */
    @Override
    public boolean isValid() {
        return isValid;
    }

    /** Every way to a new id passes here; Tomcat tells the listeners afterwards. */
    @Override
    public void setId(String newId, boolean notify) {
        naming.give(id, newId);
        super.setId(newId, notify);
        naming.leaveIfEnded();
    }

    @Override
    public void setPrincipal(@Nullable Principal principal) {
        super.setPrincipal(principal);
        LocalLogins.complaint(principal, owner.label()).ifPresent(Log::warnOnce);
        login.principal(principal);
    }

    @Override
    public @Nullable Principal getPrincipal() {
        principal = login.principal();
        return principal;
    }

    @Override
    public void setAuthType(@Nullable String authType) {
        super.setAuthType(authType);
        login.authType(authType);
    }

    @Override
    public @Nullable String getAuthType() {
        return login.authType();
    }

    @Override
    public @Nullable Object getNote(String name) {
        return Login.hasNote(name) ? login.note(name) : super.getNote(name);
    }

    @Override
    public void setNote(String name, Object value) {
        if (Login.hasNote(name)) {
            login.note(name, value);
        } else {
            super.setNote(name, value);
        }
    }

    @Override
    public void removeNote(String name) {
        if (Login.hasNote(name)) {
            login.note(name, null);
        } else {
            super.removeNote(name);
        }
    }

    @Override
    public long created() {
        return creationTime;
    }

    @Override
    public int idle() {
        return maxInactiveInterval;
    }

    @Override
    public void idleIs(int seconds) {
        maxInactiveInterval = seconds;
    }

    @Override
    public boolean mayLeave(String attribute, Object value) {
        return !exclude(attribute, value);
    }

    @Override
    public void gone() {
        discard();
    }

    @Override
    public boolean hears(Object value) {
        return Activation.hears(value);
    }

    @Override
    public void activated(Object value) {
        Activation.activated(this, value);
    }
}
