package dev.sojourn.agent.session;

import dev.sojourn.agent.client.CommitOutcome;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Refusal;
import dev.sojourn.agent.core.Log;
import java.util.List;
import java.util.concurrent.Executor;

/** A commit that is under way and that no thread waits for. The session's turn to commit is its own. */
final class LeftCommit implements CommitOutcome {
    private final Commits commits;
    private final Executor late;
    private final List<Pending> pending;
    private final CommitTerms terms;
    private final Later response;

    LeftCommit(Commits commits, Executor late, List<Pending> pending, CommitTerms terms, Later response) {
        this.commits = commits;
        this.late = late;
        this.pending = pending;
        this.terms = terms;
        this.response = response;
    }

    @Override
    public void committed(Committed answer) {
        // To take what others have changed takes its time, and who reads the answers reads them for all.
        boolean alone = !answer.others.whole && answer.others.list.isEmpty();
        if (!alone || !land(answer, false)) {
            later(() -> land(answer, true));
        }
    }

    @Override
    public void refused(Refusal refusal) {
        later(() -> {
            try {
                commits.notLanded(refusal, pending, terms.passive);
            } finally {
                over();
            }
        });
    }

    /** Where no thread can be had for it the response does not wait for ever, nor do those that others wait for. */
    private void later(Runnable work) {
        try {
            late.execute(work);
        } catch (Throwable e) {
            Log.warnOnce("a commit's answer cannot be taken, it is sent again: " + e);
            commits.unanswered();
            over();
        }
    }

    private boolean land(Committed answer, boolean mayWait) {
        boolean over = true;
        try {
            over = commits.landed(answer, pending, terms, mayWait);
            return over;
        } finally {
            if (over) {
                over();
            }
        }
    }

    private void over() {
        try {
            commits.left();
        } finally {
            response.end();
        }
    }
}
