package dev.sojourn.agent.session;

import dev.sojourn.agent.client.CommitOutcome;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Refusal;
import java.util.List;

/** A commit that is under way and that no thread waits for. The session's turn to commit is its own. */
final class LeftCommit implements CommitOutcome {
    private final SessionState session;
    private final LateCommits late;
    private final List<Pending> pending;
    private final int idle;
    private final Later response;

    LeftCommit(SessionState session, LateCommits late, List<Pending> pending, int idle, Later response) {
        this.session = session;
        this.late = late;
        this.pending = pending;
        this.idle = idle;
        this.response = response;
    }

    @Override
    public void committed(Committed answer) {
        if (answer.others.whole || !answer.others.list.isEmpty()) {
            // Taking changes of others compares objects of the application's, and that runs its code.
            late.run(() -> land(answer));
        } else {
            land(answer);
        }
    }

    @Override
    public void refused(Refusal refusal) {
        late.run(() -> {
            try {
                session.notLanded(refusal, pending);
            } finally {
                over();
            }
        });
    }

    private void land(Committed answer) {
        try {
            session.landed(answer, pending, idle);
        } finally {
            over();
        }
    }

    private void over() {
        session.left();
        response.end();
    }
}
