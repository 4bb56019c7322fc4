package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.shard.Step.Assign;
import dev.sojourn.operator.store.shard.Step.Follow;
import dev.sojourn.operator.store.shard.Step.Forget;
import dev.sojourn.operator.store.shard.Step.Move;
import dev.sojourn.operator.store.shard.Step.Promote;
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
    private final Map<String, String> nodes;
    private final Map<String, Long> offsets;
    private final int primaries;
    private final int pods;

    /**
     * @param nodes the Kubernetes node of each pod that is known
     * @param offsets how far each pod is in what its primary wrote
     * @param primaries how many there should be
     * @param copies how many replicas each should have
     */
    ShardPlan(ShardView view, Map<String, String> nodes, Map<String, Long> offsets, int primaries, int copies) {
        this.view = view;
        this.nodes = nodes;
        this.offsets = offsets;
        this.primaries = primaries;
        this.pods = primaries * (1 + copies);
    }

    List<Step> next() {
        if (!isFormed()) {
            return List.of();
        }
        return Stream.<Supplier<List<Step>>>of(
                        this::finish,
                        this::promote,
                        this::forget,
                        this::takeOver,
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
        return view.unserved().cardinality() < Member.SLOTS || staying().size() >= pods;
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
        if (to.isEmpty() && view.byId(id).filter(member -> !isOverFor(member)).isPresent()) {
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

    /**
     * Replicas elect the next primary themselves, but not without most of the primaries: two that are lost at once leave none. Of the
     * replicas of one the furthest is it: it has what was confirmed.
     */
    private List<Step> promote() {
        return canVote()
                ? List.of()
                : view.members().stream()
                        .filter(member -> member.slotCount() > 0 && view.isReplaced(member))
                        .flatMap(member -> view.replicasOf(member).stream().max(byOffset()).stream())
                        .<Step>map(Promote::new)
                        .toList();
    }

    private Comparator<Member> byOffset() {
        return Comparator.comparing(member -> offsets.getOrDefault(member.pod(), 0L));
    }

    private boolean canVote() {
        var serving = view.members().stream()
                .filter(member -> member.isPrimary() && member.slotCount() > 0)
                .toList();
        var present = view.present();
        return serving.stream().filter(present::contains).count() * 2 > serving.size();
    }

    private List<Step> forget() {
        return view.members().stream()
                .filter(member -> member.isGone() || (view.isReplaced(member) && !canVote()))
                .filter(this::isOverFor)
                .<Step>map(member -> new Forget(member.id()))
                .toList();
    }

    /** A pod that is away may come back with what it has; one that came back as somebody else, or has left, will not. */
    private boolean isOverFor(Member member) {
        var cannotReturn = view.isReplaced(member) || ShardView.ordinal(member) >= pods;
        return cannotReturn && view.members().stream().noneMatch(replica -> isHeir(replica, member));
    }

    /** A primary that is to leave, and has nobody who could take its slots but its own replica. */
    private List<Step> takeOver() {
        return targets().size() >= primaries
                ? List.of()
                : leaving().stream()
                        .filter(member -> member.isPrimary() && member.slotCount() > 0)
                        .flatMap(member -> view.replicasOf(member).stream()
                                .filter(this::stays)
                                .limit(1))
                        .<Step>map(TakeOver::new)
                        .toList();
    }

    private List<Step> assign() {
        var unserved = view.unserved();
        var to = targets();
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
        var to = targets();
        var free = staying().stream()
                .filter(member -> member.slotCount() == 0 && !to.contains(member))
                .filter(member -> view.members().stream().noneMatch(primary -> isHeir(member, primary)))
                .filter(member -> member.isPrimary() || to.stream().noneMatch(member::follows))
                .findFirst();
        return free.flatMap(
                        replica -> neediest(to, replica).map(primary -> List.<Step>of(new Follow(replica, primary))))
                .orElse(List.of());
    }

    /**
     * Whether it may take the place of a primary that is lost, even if it just does not answer us. What that one held is nowhere else: led
     * elsewhere before it is elected, it would forget it.
     */
    private boolean isHeir(Member replica, Member primary) {
        return replica.follows(primary)
                && !replica.isGone()
                && primary.slotCount() > 0
                && !view.present().contains(primary);
    }

    /** As evenly as it goes: each primary has the same number of slots, give or take one. */
    private List<Step> move() {
        var to = targets();
        if (to.isEmpty()) {
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
        var byReplicas = Comparator.comparingInt(
                (Member target) -> stayingReplicas(target).size());
        var most = targets().stream().max(byReplicas);
        var least = targets().stream().min(byReplicas);
        if (most.isEmpty() || least.isEmpty()) {
            return List.of();
        }
        var spare = stayingReplicas(most.get());
        return spare.size() - stayingReplicas(least.get()).size() < 2
                ? List.of()
                : List.of(new Follow(
                        spare.stream()
                                .min(Comparator.comparing((Member replica) -> sameNode(replica, least.get()))
                                        .thenComparing(replica -> !sameNode(replica, most.get())))
                                .orElseThrow(),
                        least.get()));
    }

    /** A node that is lost must not take both: who is beside his primary changes places with somebody for whom both are better. */
    private List<Step> separate() {
        for (var primary : targets()) {
            for (var beside : stayingReplicas(primary)) {
                var other = sameNode(beside, primary) ? partner(beside, primary) : Optional.<Member>empty();
                if (other.isPresent()) {
                    // That one first; the primary then has one too many, and gives away the one beside it.
                    return List.of(new Follow(other.get(), primary));
                }
            }
        }
        return List.of();
    }

    private Optional<Member> partner(Member beside, Member primary) {
        return targets().stream()
                .filter(target -> !target.equals(primary) && !sameNode(target, beside))
                .flatMap(target -> stayingReplicas(target).stream())
                .filter(replica -> !sameNode(replica, primary))
                .findFirst();
    }

    /** A node that is lost must leave most of the primaries: without them nobody is elected. Fail-overs bring them together. */
    private List<Step> disperse() {
        return targets().stream()
                .filter(primary -> primariesBeside(primary) * 2 >= primaries)
                .flatMap(primary -> stayingReplicas(primary).stream()
                        .filter(replica -> primariesBeside(replica) + 1 < primariesBeside(primary)))
                .limit(1)
                .<Step>map(TakeOver::new)
                .toList();
    }

    private long primariesBeside(Member member) {
        return targets().stream().filter(other -> sameNode(other, member)).count();
    }

    /** Who serves, or shall: those that have the most slots, and then members without any, on as many nodes as there are. */
    private List<Member> targets() {
        var chosen = new ArrayList<>(staying().stream()
                .filter(member -> member.isPrimary() && member.slotCount() > 0)
                .sorted(Comparator.comparingInt(Member::slotCount).reversed())
                .limit(primaries)
                .toList());
        while (chosen.size() < primaries) {
            var next = staying().stream()
                    .filter(member -> member.isPrimary() && member.slotCount() == 0 && !chosen.contains(member))
                    .min(Comparator.comparingLong(member -> chosen.stream()
                            .filter(other -> sameNode(member, other))
                            .count()));
            if (next.isEmpty()) {
                break;
            }
            chosen.add(next.get());
        }
        return chosen;
    }

    /** Fewest replicas first, and best on another node: one that is lost must not take both. */
    private Optional<Member> neediest(List<Member> to, Member replica) {
        Function<Member, Integer> replicas = target -> stayingReplicas(target).size();
        return to.stream().min(Comparator.comparing(replicas).thenComparing(target -> sameNode(replica, target)));
    }

    private List<Member> stayingReplicas(Member primary) {
        return view.replicasOf(primary).stream().filter(this::stays).toList();
    }

    private boolean sameNode(Member one, Member other) {
        var node = nodes.get(one.pod());
        return node != null && node.equals(nodes.get(other.pod()));
    }

    private List<Member> staying() {
        return view.present().stream().filter(this::stays).toList();
    }

    private List<Member> leaving() {
        return view.present().stream().filter(member -> !stays(member)).toList();
    }

    private boolean stays(Member member) {
        return ShardView.ordinal(member) < pods;
    }
}
