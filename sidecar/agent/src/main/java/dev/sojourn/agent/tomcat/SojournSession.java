package dev.sojourn.agent.tomcat;

import dev.sojourn.agent.client.Opened;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.session.Ends;
import dev.sojourn.agent.session.Generation;
import dev.sojourn.agent.session.Home;
import dev.sojourn.agent.session.Life;
import dev.sojourn.agent.session.SessionState;
import java.security.Principal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.catalina.session.StandardSession;
import org.jspecify.annotations.Nullable;

/** Tomcat's session object over a {@link SessionState}. One per session and JVM, shared by concurrent requests. */
public final class SojournSession extends StandardSession implements SessionState.Host, Ends.Listener, Presence.Copy {
    private static final long serialVersionUID = 1L;
    private static final String PRINCIPAL = "\0principal";
    private static final String AUTH_TYPE = "\0authType";
    /** The name of who is logged in, for operators of the cluster: the sidecar reads it. */
    private static final String USER = "\0user";
    /**
     * Of Tomcat's notes, which are not attributes, those that a login by form needs on whichever node it goes on: the
     * request that was denied, and the id that it was denied under (org.apache.catalina.authenticator.Constants). Not the
     * user's password.
     */
    private static final List<String> NOTES =
            Arrays.asList("org.apache.catalina.authenticator.REQUEST", "org.apache.catalina.authenticator.SESSION_ID");

    private static final String NOTE = "\0note:";

    private final transient SojournManager owner;
    private final transient SessionState state;
    private final transient Life life;
    /** This object is what its end is told with: whoever hears that it is over meanwhile leaves it as it is. */
    private transient volatile boolean ends;
    /** Something that it has opened may be open still, a WebSocket whose endpoint has this object. */
    private transient volatile boolean hasOpened;
    /** Which it is of those that its id has had, one after another. */
    private transient volatile Generation generation = Generation.FIRST;

    private final transient Presence presence = new Presence(this, Presence.PATIENCE_NANOS);

    SojournSession(SojournManager owner, Home home) {
        super(owner);
        this.owner = owner;
        this.state = new SessionState(home, this, "");
        this.life = state.life();
        this.attributes = new AttributeMap(state, user -> keep(USER, user));
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
        generation = restored;
        life.rename(owner.nameOf(restoredId, restored.number));
        take(opened, 0);
        isNew = false;
        isValid = true;
    }

    Generation generation() {
        return generation;
    }

    /** It is in the store, without anything of it, as this one of those that its id has had. */
    void begun(String givenId, Generation found) {
        generation = found;
        life.begun(owner.nameOf(givenId, found.number));
        owner.hold(this, givenId);
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
        // Tomcat's own lock: it must not be over here before those who wait for it know who ended it.
        synchronized (this) {
            if (!isValid || expiring) {
                return;
            }
            ends = true;
            boolean tells = life.end();
            Map<String, Object> local = notify && !tells ? state.takeLocal() : Collections.emptyMap();
            super.expire(notify && tells);
            if (notify && !tells) {
                fireSessionEvent(SESSION_DESTROYED_EVENT, null);
                unbind(local);
            }
        }
    }

    /** The store says that it has ended by its clock, and that it is for this JVM to tell the listeners. */
    void expired() {
        synchronized (this) {
            if (ends) {
                return;
            }
            ends = true;
            // From now on nothing of it is committed, whatever the listeners do.
            life.endedElsewhere();
            // A request may have heard already that it is over.
            setValid(true);
            super.expire(true);
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

    /** Whether the store, which has none of this name, has it under another one; of what nobody needs nobody asks. */
    boolean goesOnElsewhere() {
        boolean isNeeded = state.isInUse() || hasOpened;
        // Where requests have sessions for themselves, whoever gave it another name has taken it over.
        return isNeeded && !owner.isExclusive() && life.goesOn();
    }

    /** It goes on elsewhere, and nobody finds it here any more. Those who have it commit to it until they are done. */
    void leave() {
        owner.unbindOnceDone(this);
        owner.remove(this, false);
    }

    /** One that is over and still to be found: it may have been given an id just when that was heard of. */
    boolean leaveIfOver() {
        boolean over = life.hasEnded() && !isValid;
        if (over) {
            owner.remove(this, false);
        }
        return over;
    }

    void opens(String key) {
        hasOpened = true;
        owner.opens(this, key);
    }

    /** What only Tomcat knows of it in this JVM ends too. */
    @Override
    public void ended(String key) {
        WebSockets.close(owner.getContext(), key);
    }

    @Override
    public boolean isOthers(String key) {
        return owner.openers().isOthers(key, state.name());
    }

    @Override
    public boolean hasEnded() throws Refusal {
        // Where requests have sessions for themselves, to ask would be to take it from one that takes long.
        return !owner.isExclusive() && life.isGone();
    }

    /** The store is the judge of idle time; see {@link SojournManager#findSession}. */
    @Override
    public boolean isValid() {
        return isValid;
    }

    /** Every way to a new id passes here; Tomcat tells the listeners afterwards. */
    @Override
    public void setId(String newId, boolean notify) {
        if (id == null) {
            owner.beginAgain(this, newId);
        }
        String name = owner.nameOf(newId, id == null || newId.equals(id) ? generation.number : 0);
        String before = life.rename(name);
        if (!name.equals(before)) {
            generation = Generation.FIRST;
            owner.hold(this, newId);
            // Not where that has found it ended: of its new name nobody would ever tell.
            if (!before.isEmpty() && !life.hasEnded()) {
                owner.renamed(before, name);
            }
        }
        super.setId(newId, notify);
        if (life.hasEnded()) {
            // By that it can be found again, and nobody would ever come for it.
            owner.remove(this, false);
        }
    }

    @Override
    public void setPrincipal(@Nullable Principal principal) {
        super.setPrincipal(principal);
        keep(PRINCIPAL, principal);
        keep(USER, principal == null ? null : principal.getName());
    }

    @Override
    public @Nullable Principal getPrincipal() {
        Object stored = state.get(PRINCIPAL);
        principal = stored instanceof Principal ? (Principal) stored : null;
        return principal;
    }

    @Override
    public void setAuthType(@Nullable String authType) {
        super.setAuthType(authType);
        keep(AUTH_TYPE, authType);
    }

    @Override
    public @Nullable String getAuthType() {
        Object stored = state.get(AUTH_TYPE);
        return stored instanceof String ? (String) stored : null;
    }

    @Override
    public @Nullable Object getNote(String name) {
        return NOTES.contains(name) ? state.get(NOTE + name) : super.getNote(name);
    }

    @Override
    public void setNote(String name, Object value) {
        if (NOTES.contains(name)) {
            keep(NOTE + name, value);
        } else {
            super.setNote(name, value);
        }
    }

    @Override
    public void removeNote(String name) {
        if (NOTES.contains(name)) {
            keep(NOTE + name, null);
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

    private void keep(String name, @Nullable Object value) {
        if (value == null) {
            state.remove(name);
        } else {
            state.set(name, value);
        }
    }
}
