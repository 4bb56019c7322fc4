package dev.sojourn.agent.client;

/** What came of a commit that nobody waits for. */
public interface CommitOutcome {
    void committed(Committed answer);

    void refused(Refusal refusal);
}
