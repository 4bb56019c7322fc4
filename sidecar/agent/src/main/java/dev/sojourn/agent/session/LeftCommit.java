package dev.sojourn.agent.session;

import dev.sojourn.agent.client.CommitOutcome;
import dev.sojourn.agent.client.CommitTerms;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Refusal;
import java.util.List;

/** A commit that is under way and that no thread waits for. The session's turn to commit is its own. */
final class LeftCommit implements CommitOutcome {
    private final Commits commits;
    private final FewThreads late;
    private final List<Pending> pending;
    private final CommitTerms terms;
    private final Later response;

    LeftCommit(Commits commits, FewThreads late, List<Pending> pending, CommitTerms terms, Later response) {
        this.commits = commits;
        this.late = late;
        this.pending = pending;
        this.terms = terms;
        this.response = response;
    }

    @Override
    public void committed(Committed answer) {
        // After taking changes of others objects of the application's are compared, and that runs its code.
        boolean alone = !answer.others.whole && answer.others.list.isEmpty();
        if (!alone || !land(answer, false)) {
            late.execute(() -> land(answer, true));
        }
    }

    @Override
    public void refused(Refusal refusal) {
        late.execute(() -> {
            try {
                commits.notLanded(refusal, pending, terms.passive);
            } finally {
                over(true);
            }
        });
    }

    private boolean land(Committed answer, boolean mayWait) {
        boolean over = true;
        try {
            over = commits.landed(answer, pending, terms, mayWait);
            return over;
        } finally {
            if (over) {
                over(mayWait);
            }
        }
    }

    private void over(boolean mayWait) {
        try {
            commits.left(mayWait);
        } finally {
            response.end();
        }
    }
}
