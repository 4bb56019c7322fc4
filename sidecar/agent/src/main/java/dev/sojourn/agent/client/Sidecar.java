package dev.sojourn.agent.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the agent asks of the sidecar. Names are the protocol's: context path, LF, session id. */
public interface Sidecar {
    /** Null: there is no such session. */
    @Nullable
    Opened open(String session, long held) throws Refusal;

    Committed commit(String session, long base, int idle, long created, List<Change> changes) throws Refusal;

    void touch(String session) throws Refusal;

    /** True if this call ended it. */
    boolean end(String session) throws Refusal;

    long rename(String session, String renamed, long base) throws Refusal;
}
