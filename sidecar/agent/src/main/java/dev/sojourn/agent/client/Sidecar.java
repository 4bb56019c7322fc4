package dev.sojourn.agent.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the agent asks of the sidecar. Names are the protocol's: context path, LF, session id. */
public interface Sidecar {
    /** Null: there is no such session. {@code passive}: it is no access, the idle time goes on. */
    @Nullable
    Opened open(String session, long held, boolean passive) throws Refusal;

    /** As {@link #open}, once no other request has the session; with a lock, which is to be given back. */
    @Nullable
    Opened openExclusive(String session, long held, boolean passive) throws Refusal;

    Committed commit(String session, CommitTerms terms, List<Change> changes) throws Refusal;

    /**
     * As {@link #commit} without a lock, and does not wait: {@code outcome} is told once, perhaps before this returns, by a thread that others depend on. False: it
     * cannot be done like this now, and {@code outcome} is told nothing.
     */
    default boolean beginCommit(String session, CommitTerms terms, List<Change> changes, CommitOutcome outcome) {
        return false;
    }

    void unlock(String session, long lock) throws Refusal;

    void touch(String session) throws Refusal;

    /**
     * False: it was over already. True: this call ended it, or perhaps an earlier try of it whose answer was lost. {@code follow}: it ends under whatever name
     * it goes on.
     */
    boolean end(String session, boolean follow) throws Refusal;

    /** An expired session whose listeners are to be told, then {@link #end} is said. Null: nothing is to be done. */
    @Nullable
    Opened reap(String session) throws Refusal;

    /** Something about an attribute that an operator of the cluster wants to know. */
    void note(String kind, String context, String attribute, String className) throws Refusal;

    long rename(String session, String renamed, long base) throws Refusal;
}
