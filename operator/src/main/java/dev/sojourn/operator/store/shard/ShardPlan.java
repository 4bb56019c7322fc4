package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.shard.Step.Assign;
import dev.sojourn.operator.store.shard.Step.Follow;
import dev.sojourn.operator.store.shard.Step.Move;
import dev.sojourn.operator.store.shard.Step.Settle;
import dev.sojourn.operator.store.shard.Step.TakeOver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What to do next. Pure, and without a memory: whatever was under way when the last operator died is seen in the cluster itself. The
 * first rule that has something to do is done; then one looks again.
 */
final class ShardPlan {

    private final ShardView view;
    private final ShardShape shape;
    private final Succession succession;
    private final Recruitment recruitment;

    ShardPlan(ShardView view, ShardShape shape, Succession succession) {
        this.view = view;
        this.shape = shape;
        this.succession = succession;
        this.recruitment = new Recruitment(view, shape);
    }

    List<Step> next() {
        if (!isFormed()) {
            return List.of();
        }
        return Stream.<Supplier<List<Step>>>of(
                        this::finish,
                        succession::promote,
                        succession::forget,
                        recruitment::takeOver,
                        recruitment::free,
                        this::assign,
                        this::follow,
                        this::move,
                        this::spread,
                        this::separate,
                        this::disperse)
                .map(Supplier::get)
                .filter(steps -> !steps.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /** Nothing is decided before everybody has been seen once: an early division would have to be undone. */
    private boolean isFormed() {
        return view.unserved().cardinality() < Member.SLOTS || shape.isComplete();
    }

    /** A slot whose move was broken off has its sessions in two places: it goes where it was going, or waits for that to be back. */
    private List<Step> finish() {
        var steps = new ArrayList<Step>();
        for (var from : view.answering()) {
            if (from.isPrimary()) {
                from.migrating().forEach((slot, id) -> finish(from, slot, id).ifPresent(steps::add));
            }
        }
        return steps;
    }

    private Optional<Step> finish(Member from, int slot, String id) {
        var to = destination(slot, id);
        if (to.isEmpty()
                && view.byId(id).filter(member -> !succession.isOverFor(member)).isPresent()) {
            // Ended here, what is there already would be found by nobody.
            return Optional.empty();
        }
        return Optional.of(
                to.<Step>map(there -> new Move(from, there, List.of(slot))).orElseGet(() -> new Settle(from, slot)));
    }

    /** Whoever it was going to may have been replaced by its replica, which knows of the slot too from Valkey 8 on. */
    private Optional<Member> destination(int slot, String id) {
        var heirs = view.answering().stream()
                .filter(member -> member.isPrimary() && member.importing().get(slot));
        return serving(id)
                .or(heirs::findFirst)
                .or(() -> view.byId(id).map(Member::primaryId).flatMap(this::serving));
    }

    private Optional<Member> serving(String id) {
        return view.byId(id).filter(member -> member.isPresent() && member.isPrimary());
    }

    private List<Step> assign() {
        var unserved = view.unserved();
        var to = shape.targets();
        if (unserved.isEmpty() || to.isEmpty()) {
            return List.of();
        }
        var share = (unserved.cardinality() + to.size() - 1) / to.size();
        var slots = unserved.stream().boxed().toList();
        var steps = new ArrayList<Step>();
        for (var i = 0; i * share < slots.size(); i++) {
            steps.add(new Assign(to.get(i), slots.subList(i * share, Math.min(slots.size(), (i + 1) * share))));
        }
        return steps;
    }

    /** Who is no primary, or no longer, follows the primary that needs it most. */
    private List<Step> follow() {
        var to = shape.targets();
        var free = shape.staying().stream()
                .filter(member -> member.slotCount() == 0 && !to.contains(member))
                .filter(member -> member.isPrimary() || !isNeeded(member))
                .findFirst();
        return free.flatMap(
                        replica -> neediest(to, replica).map(primary -> List.<Step>of(new Follow(replica, primary))))
                .orElse(List.of());
    }

    /** It is the copy of what its primary still has; led elsewhere, it would forget that at once. */
    private boolean isNeeded(Member replica) {
        return view.members().stream()
                .anyMatch(primary -> replica.follows(primary)
                        && (primary.slotCount() > 0 || shape.targets().contains(primary)));
    }

    /** As evenly as it goes: each primary has the same number of slots, give or take one. */
    private List<Step> move() {
        var to = shape.targets();
        if (to.isEmpty() || recruitment.isAwaited()) {
            return List.of();
        }
        var share = Member.SLOTS / to.size();
        var missing = new HashMap<String, Integer>();
        to.forEach(target -> missing.put(target.id(), share - target.slotCount()));
        var steps = new ArrayList<Step>();
        for (var from : sources(to)) {
            var spare = from.slots().stream()
                    .boxed()
                    .filter(slot -> !view.isUnderWay(from, slot))
                    .skip(to.contains(from) ? share + 1 : 0)
                    .toList();
            if (to.contains(from) && spare.isEmpty()) {
                continue;
            }
            steps.addAll(shareOut(from, spare, to, missing));
        }
        return steps;
    }

    private static List<Step> shareOut(
            Member from, List<Integer> spare, List<Member> to, Map<String, Integer> missing) {
        var steps = new ArrayList<Step>();
        var next = 0;
        for (var target : to) {
            var room = target.equals(from) ? 0 : Math.max(0, missing.getOrDefault(target.id(), 0));
            var count = Math.min(room, spare.size() - next);
            if (count > 0) {
                steps.add(new Move(from, target, spare.subList(next, next + count)));
                missing.merge(target.id(), -count, Integer::sum);
                next += count;
            }
        }
        // What a division leaves over: a source that has to be emptied gives it to anybody.
        if (next < spare.size() && !to.contains(from)) {
            steps.add(new Move(from, to.get(0), spare.subList(next, spare.size())));
        }
        return steps;
    }

    private List<Member> sources(List<Member> to) {
        return view.present().stream()
                .filter(Member::isPrimary)
                .filter(member -> member.slotCount() > 0)
                .filter(member -> !to.contains(member) || member.slotCount() > Member.SLOTS / to.size() + 1)
                .toList();
    }

    /** A primary with two replicas more than another gives one away. */
    private List<Step> spread() {
        if (!isUneven()) {
            return List.of();
        }
        var most = shape.targets().stream().max(byReplicas()).orElseThrow();
        var least = shape.targets().stream().min(byReplicas()).orElseThrow();
        return shape.stayingReplicas(most).stream()
                .min(Comparator.comparing((Member replica) -> shape.sameNode(replica, least))
                        .thenComparing(replica -> !shape.sameNode(replica, most))
                        .thenComparing(view::isInStep))
                .filter(replica -> isSpare(replica, most))
                .map(replica -> List.<Step>of(new Follow(replica, least)))
                .orElse(List.of());
    }

    private boolean isUneven() {
        var counts = shape.targets().stream()
                .mapToInt(target -> shape.stayingReplicas(target).size())
                .summaryStatistics();
        return counts.getCount() > 0 && counts.getMax() - counts.getMin() >= 2;
    }

    private Comparator<Member> byReplicas() {
        return Comparator.comparingInt(target -> shape.stayingReplicas(target).size());
    }

    /** Led elsewhere it drops what it has at once, and its primary may be lost meanwhile: the others have to have it. */
    private boolean isSpare(Member replica, Member primary) {
        var others = shape.stayingReplicas(primary).size() - 1;
        return shape.hasCopiesBut(replica, primary, Math.max(1, Math.min(shape.copies(), others)));
    }

    /** A node that is lost must not take both: who is beside his primary changes places with somebody for whom both are better. */
    private List<Step> separate() {
        if (isUneven()) {
            // The second half of such a change waits for the first.
            return List.of();
        }
        for (var primary : shape.targets()) {
            for (var beside : shape.stayingReplicas(primary)) {
                // With one copy each there is none meanwhile of the shard whose copy was worth least.
                var mayGo = shape.copies() == 1 || isSpare(beside, primary);
                var partner =
                        shape.sameNode(beside, primary) && mayGo ? partner(beside, primary) : Optional.<Member>empty();
                if (partner.isPresent()) {
                    // That one then has one too many, and gives away another.
                    return List.of(new Follow(beside, partner.get()));
                }
            }
        }
        return List.of();
    }

    /** A primary that is not beside it, and has a replica that is not beside the other one. */
    private Optional<Member> partner(Member beside, Member primary) {
        return shape.targets().stream()
                .filter(target -> !target.equals(primary) && !shape.sameNode(target, beside))
                .filter(target ->
                        shape.stayingReplicas(target).stream().anyMatch(replica -> !shape.sameNode(replica, primary)))
                .findFirst();
    }

    /** A node that is lost must leave most of the primaries: without them nobody is elected. Fail-overs bring them together. */
    private List<Step> disperse() {
        return shape.targets().stream()
                .filter(primary -> shape.primariesBeside(primary) * 2 >= shape.primaries())
                .flatMap(primary -> shape.stayingReplicas(primary).stream()
                        .filter(view::isInStep)
                        .filter(replica -> shape.primariesBeside(replica) + 1 < shape.primariesBeside(primary)))
                .limit(1)
                .<Step>map(TakeOver::new)
                .toList();
    }

    /** Fewest replicas first, and best on another node: one that is lost must not take both. */
    private Optional<Member> neediest(List<Member> to, Member replica) {
        Function<Member, Integer> replicas =
                target -> shape.stayingReplicas(target).size();
        return to.stream().min(Comparator.comparing(replicas).thenComparing(target -> shape.sameNode(replica, target)));
    }
}
