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
    /** Written once, guarded by this. */
    private volatile boolean over;

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
        if (alone && commits.landed(answer, pending, terms, false)) {
            over();
        } else {
            later(() -> commits.landed(answer, pending, terms, true));
        }
    }

    @Override
    public void refused(Refusal refusal) {
        later(() -> commits.notLanded(refusal, pending, terms.passive));
    }

    @Override
    public void unknown() {
        if (!over) {
            try {
                commits.unanswered(terms.passive);
            } finally {
                over();
            }
        }
    }

    /** Where no thread can be had for it the response does not wait for ever, nor do those that others wait for. */
    private void later(Runnable work) {
        try {
            late.execute(() -> {
                try {
                    work.run();
                    over();
                } finally {
                    unknown();
                }
            });
        } catch (Throwable e) {
            unknown();
            Log.warnOnce("a commit's answer cannot be taken, it is sent again: ", e);
        }
    }

    /** Once: the session's turn may be another commit's by the second time. */
    private void over() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
        }
        try {
            commits.left();
        } finally {
            response.end();
        }
    }
}
