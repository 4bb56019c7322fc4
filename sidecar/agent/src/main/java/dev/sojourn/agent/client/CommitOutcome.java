package dev.sojourn.agent.client;

/** What came of a commit that nobody waits for. */
public interface CommitOutcome {
    void committed(Committed answer);

    void refused(Refusal refusal);

    /** Nobody can say; also where one of the others has failed, for want of memory. It takes none itself. */
    void unknown();
}
