package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.Reply;
import dev.sojourn.operator.store.Request;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreConnections.Session;
import dev.sojourn.operator.store.StoreException;
import dev.sojourn.operator.store.shard.Step.Assign;
import dev.sojourn.operator.store.shard.Step.Follow;
import dev.sojourn.operator.store.shard.Step.Forget;
import dev.sojourn.operator.store.shard.Step.Free;
import dev.sojourn.operator.store.shard.Step.Move;
import dev.sojourn.operator.store.shard.Step.Promote;
import dev.sojourn.operator.store.shard.Step.Settle;
import dev.sojourn.operator.store.shard.Step.TakeOver;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.function.IntFunction;

/** Takes steps, each of which may be broken off and taken again. */
final class ShardHand {

    /** So many sessions travel at once: the server does nothing else meanwhile. */
    private static final int KEYS_AT_ONCE = 20;

    /** A member answers only when its replicas know too: one after the other, 16,384 slots take hours. */
    private static final int SLOTS_AT_ONCE = 32;

    private static final int MIGRATE_MILLIS = 5_000;

    /** Who was given slots a moment ago, or was elected, has what nobody else has: the server itself makes sure that it has no slots. */
    private static final String FLUSH = """
            for line in string.gmatch(redis.call('CLUSTER', 'NODES'), '[^\\n]+') do
              if string.find(line, ' myself,master', 1, true) and not string.find(line, ' connected %d') then
                return redis.call('FLUSHALL', 'ASYNC')
              end
            end
            return redis.error_reply('ERR it serves slots, or is a replica')
            """;

    private final StoreConnections connections;
    private final Login login;
    private final InstantSource clock;

    ShardHand(StoreConnections connections, Login login, InstantSource clock) {
        this.connections = connections;
        this.login = login;
        this.clock = clock;
    }

    /** @param until a move goes on no longer: the rest is seen, and done, next time */
    void take(Step step, Collection<Member> all, Instant until) {
        if (step instanceof Forget forget) {
            forget(forget, all);
        } else if (step instanceof Assign assign) {
            var request = cluster("ADDSLOTS");
            assign.slots().forEach(request::arg);
            tell(assign.to(), request);
        } else if (step instanceof Follow follow) {
            follow(follow);
        } else if (step instanceof Free free) {
            free(free.replica());
        } else if (step instanceof TakeOver takeOver) {
            tell(takeOver.replica(), cluster("FAILOVER"));
        } else if (step instanceof Promote promote) {
            tell(promote.replica(), cluster("FAILOVER").arg("TAKEOVER"));
        } else if (step instanceof Settle settle) {
            tell(settle.at(), slot(settle.slot(), "STABLE"));
        } else if (step instanceof Move move) {
            move(move, until);
        }
    }

    /** All are told, whatever the first one says: the next look would begin with that one again. */
    private void forget(Forget forget, Collection<Member> all) {
        StoreException refused = null;
        for (var member : all) {
            if (member.id().equals(forget.id())) {
                continue;
            }
            try {
                tell(member, cluster("FORGET").arg(forget.id()));
            } catch (StoreException e) {
                // Who does not know it has been told before.
                refused = String.valueOf(e.getMessage()).contains("Unknown node") ? refused : e;
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    /**
     * Until it has copied, it has another shard's sessions and that one's count of writes, by which it would be elected before those that have
     * what is lost. Its readiness probe lets it stand again. Both in one go: a probe between them would do so too early.
     */
    private void follow(Follow follow) {
        tell(
                follow.replica(),
                Request.of("CONFIG")
                        .arg("SET")
                        .arg("cluster-replica-no-failover")
                        .arg("yes"),
                cluster("REPLICATE").arg(follow.primary().id()));
    }

    /**
     * It forgets the others, too, and its pod has it meet them again. A primary that has anything refuses. In one go: its log still has what it
     * held, and restarted before that was flushed, too, it would take slots that it had keys of for its own, or keep ended sessions for whoever
     * moves slots there.
     */
    private void free(Member replica) {
        tell(replica, cluster("RESET").arg("SOFT"), flush());
    }

    private static Request flush() {
        return Request.of("EVAL").arg(FLUSH).arg(0);
    }

    private void tell(Member member, Request... requests) {
        try (var session = connections.open(member.address().toString(), login, 1)) {
            session.askInOneGo(List.of(requests));
        }
    }

    private void move(Move move, Instant until) {
        try (var from = connections.open(move.from().address().toString(), login, SLOTS_AT_ONCE);
                var to = connections.open(move.to().address().toString(), login, SLOTS_AT_ONCE)) {
            for (var begin = 0; begin < move.slots().size(); begin += SLOTS_AT_ONCE) {
                if (clock.instant().isAfter(until)) {
                    return;
                }
                var end = Math.min(move.slots().size(), begin + SLOTS_AT_ONCE);
                move(move.slots().subList(begin, end), move, from, to);
            }
        }
    }

    private void move(List<Integer> slots, Move move, Session from, Session to) {
        to.askAll(each(slots, slot -> slot(slot, "IMPORTING").arg(move.from().id())));
        from.askAll(each(slots, slot -> slot(slot, "MIGRATING").arg(move.to().id())));
        var first = from.askAll(each(slots, ShardHand::keysIn));
        for (var i = 0; i < slots.size(); i++) {
            migrate(from, slots.get(i), first.get(i), move.to());
        }
        // The new owner first: a slot that nobody owns for a moment is refused, one that two own is not.
        to.askAll(each(slots, slot -> slot(slot, "NODE").arg(move.to().id())));
        from.askAll(each(slots, slot -> slot(slot, "NODE").arg(move.to().id())));
    }

    private static List<Request> each(List<Integer> slots, IntFunction<Request> request) {
        return slots.stream().map(request::apply).toList();
    }

    private static Request keysIn(int slot) {
        return cluster("GETKEYSINSLOT").arg(slot).arg(KEYS_AT_ONCE);
    }

    private void migrate(Session from, int slot, Reply first, Member to) {
        for (var keys = keys(first); !keys.isEmpty(); keys = keys(from.ask(keysIn(slot)))) {
            var migrate = Request.of("MIGRATE")
                    .arg(to.address().host())
                    .arg(to.address().port())
                    .arg("")
                    .arg(0)
                    .arg(MIGRATE_MILLIS)
                    // What was copied, and not deleted, by a move that was broken off.
                    .arg("REPLACE")
                    .arg("AUTH2")
                    .arg(String.valueOf(login.username()))
                    .arg(String.valueOf(login.password()))
                    .arg("KEYS");
            keys.forEach(migrate::arg);
            from.ask(migrate);
        }
    }

    private static List<String> keys(Reply reply) {
        return reply.items().stream().map(Reply::text).toList();
    }

    private static Request cluster(String command) {
        return Request.of("CLUSTER").arg(command);
    }

    private static Request slot(int slot, String state) {
        return cluster("SETSLOT").arg(slot).arg(state);
    }
}
