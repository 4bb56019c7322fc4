package dev.sojourn.agent.session;

import dev.sojourn.agent.client.Change;
import dev.sojourn.agent.client.Committed;
import dev.sojourn.agent.client.Refusal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Splits a commit that would pass the protocol's limits, and finds out what has to stay behind if it is too large. */
final class CommitBatches {
    interface Send {
        Committed send(List<Change> changes) throws Refusal;
    }

    interface Land {
        void land(Committed answer, List<Pending> sent);
    }

    // The protocol allows 32 MiB and 65,536 elements; three elements go with one change.
    private static final int MAX_BYTES = 24 << 20;
    private static final int MAX_CHANGES = 20_000;

    private final Home home;
    private final Deque<Pending> waiting;
    private boolean sentOnce;
    /** The sidecar lacks the values that deltas are made from: after a restart, or it has forgotten the session. */
    private boolean whole;

    /** {@code whole}: the store has nothing of the session yet. */
    CommitBatches(Home home, List<Pending> pending, boolean whole) {
        this.whole = whole;
        this.home = home;
        this.waiting = new ArrayDeque<>(pending);
    }

    /** All of it, where that is one batch; null where it has to be split. Nothing is taken. */
    @Nullable
    List<Change> atOnce() {
        long bytes = 0;
        for (Pending pending : waiting) {
            bytes += weight(pending);
        }
        return bytes > MAX_BYTES || waiting.size() > MAX_CHANGES ? null : changes(waiting);
    }

    boolean isDone() {
        return sentOnce && waiting.isEmpty();
    }

    /** Nothing lands if the batch was too large and has been cut down, or has to be sent whole: go on. */
    void next(Send send, Land land) throws Refusal {
        List<Pending> batch = take();
        try {
            Committed answer = send.send(changes(batch));
            sentOnce = true;
            land.land(answer, batch);
        } catch (Refusal refusal) {
            if (refusal.why == Refusal.Why.MISSING && !whole) {
                whole = true;
                Collections.reverse(batch);
                batch.forEach(waiting::addFirst);
            } else if (refusal.why != Refusal.Why.TOO_LARGE || !leaveLargest(batch)) {
                throw refusal;
            }
        }
    }

    private List<Change> changes(Collection<Pending> of) {
        List<Change> changes = new ArrayList<>(of.size());
        for (Pending pending : of) {
            changes.add(pending.change(whole));
        }
        return changes;
    }

    private static long weight(Pending pending) {
        return pending.size() + pending.attribute.name.length() * 3L;
    }

    private List<Pending> take() {
        List<Pending> batch = new ArrayList<>();
        long bytes = 0;
        while (!waiting.isEmpty() && batch.size() < MAX_CHANGES) {
            Pending first = waiting.peekFirst();
            bytes += weight(first);
            if (bytes > MAX_BYTES && !batch.isEmpty()) {
                break;
            }
            batch.add(waiting.removeFirst());
        }
        return batch;
    }

    private boolean leaveLargest(List<Pending> batch) {
        Pending largest = null;
        for (Pending pending : batch) {
            if (pending.size() > 0 && (largest == null || pending.size() > largest.size())) {
                largest = pending;
            }
        }
        if (largest == null) {
            return false;
        }
        home.notes.say(
                Notes.Kind.LARGE,
                home.label(),
                largest.attribute.name,
                largest.attribute.className(),
                "attribute stays in this JVM, the session would become too large",
                "it has " + largest.size() + " bytes");
        Pending removal = largest.keepLocal();
        for (Pending pending : batch) {
            if (pending != largest) {
                waiting.addFirst(pending);
            }
        }
        if (removal != null) {
            waiting.addLast(removal);
        }
        return true;
    }
}
