package dev.sojourn.operator.store.shard;

import dev.sojourn.operator.store.Address;
import dev.sojourn.operator.store.StoreNode;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A cluster on paper: does at once what a real one would do after a while, and refuses what it would refuse. */
final class Paper {

    /** In seconds: who has heard nothing of its primary for longer does not stand for election by itself. */
    private static final long DATA_AGE = 43;

    private static final class Node {
        String id = "";
        boolean up = true;
        boolean noticed;

        @Nullable
        String follows;

        BitSet slots = new BitSet();
        Map<Integer, String> migrating = new HashMap<>();
        BitSet importing = new BitSet();
        boolean inStep = true;
        boolean barred;
        long alone;
        long offset = 100;
        long keys = 1;
    }

    /** By pod; members whose pod is gone or somebody else now stay under their id. */
    private final Map<String, Node> pods = new TreeMap<>();

    private final Map<String, Node> gone = new TreeMap<>();
    private final Map<String, String> goneFrom = new HashMap<>();
    private int ids;
    private int lost;

    Paper start(int from, int to) {
        for (var i = from; i < to; i++) {
            var node = new Node();
            node.id = String.format("%040x", ++ids);
            pods.put("shop-store-" + i, node);
        }
        return this;
    }

    /** The pod is deleted, with what it held; its replica, if there is one, is promoted. */
    void lose(int pod) {
        fall(pod);
        elect();
    }

    /** The pod is deleted, with what it held, and nobody has noticed yet. */
    void fall(int pod) {
        var name = "shop-store-" + pod;
        var node = pods.remove(name);
        if (node != null) {
            node.up = false;
            gone.put(node.id, node);
            goneFrom.put(node.id, name);
        }
    }

    /** Those who fell are noticed, and replicas promoted, if there are enough primaries for that. */
    void elect() {
        long primaries = pods.values().stream().filter(Paper::serves).count();
        long fallen = gone.values().stream().filter(Paper::serves).count();
        if (primaries <= fallen) {
            return;
        }
        gone.values().forEach(node -> {
            node.noticed = true;
            promoteReplicaOf(node);
        });
    }

    private static boolean serves(Node node) {
        return node.follows == null && !node.slots.isEmpty();
    }

    private void promoteReplicaOf(Node lost) {
        pods.values().stream()
                .filter(node -> lost.id.equals(node.follows) && !node.barred && node.alone <= DATA_AGE)
                .findFirst()
                .ifPresent(heir -> replace(lost, heir));
    }

    private void replace(Node lost, Node heir) {
        heir.follows = null;
        heir.slots.or(lost.slots);
        // What a primary is told of a slot on its way, its replicas are told too.
        heir.importing.or(lost.importing);
        lost.slots.clear();
        pods.values().stream().filter(node -> lost.id.equals(node.follows)).forEach(node -> node.follows = heir.id);
    }

    /** Slots that were forgotten together with the last who knew what was in them. */
    int lost() {
        return lost;
    }

    /** What a replica says of itself. */
    void say(int pod, long offset, long keys) {
        var node = pod(pod);
        node.offset = offset;
        node.keys = keys;
    }

    /** It has had no primary for so long, or none since it was restarted, which forgets that it is barred. */
    void leaveAlone(int pod, long seconds) {
        var node = pod(pod);
        node.alone = seconds;
        node.inStep = false;
        node.barred &= seconds < StoreNode.NEVER;
    }

    /** Every replica has caught up with its primary, and stands for election again. */
    void sync() {
        pods.values().forEach(node -> {
            node.inStep = true;
            node.barred = false;
            node.alone = 0;
        });
    }

    boolean isInStep() {
        return pods.values().stream().allMatch(node -> node.inStep);
    }

    /** What those that answer say of themselves. */
    Map<String, StoreNode> servers() {
        var servers = new HashMap<String, StoreNode>();
        pods.forEach((pod, node) -> servers.put(pod, server(pod, node)));
        return servers;
    }

    private static StoreNode server(String pod, Node node) {
        var primary = node.follows == null;
        return new StoreNode(
                pod, primary, primary || node.inStep, 0, 0, node.keys, 0, node.offset, node.alone, Map.of());
    }

    ShardView view() {
        var views = new ArrayList<List<Member>>();
        pods.keySet().forEach(pod -> views.add(lines(pod)));
        return new ShardView(views, servers());
    }

    private List<Member> lines(String self) {
        var members = new ArrayList<Member>();
        pods.forEach((pod, node) -> members.add(member(pod, node, pod.equals(self))));
        gone.forEach((id, node) -> members.add(member(goneFrom.getOrDefault(id, ""), node, false)));
        return members;
    }

    private static Member member(String pod, Node node, boolean myself) {
        var flags = new HashSet<>(Set.of(node.follows == null ? "master" : "slave"));
        if (myself) {
            flags.add("myself");
        }
        if (!node.up && node.noticed) {
            flags.add("fail");
        }
        if (node.barred) {
            flags.add("nofailover");
        }
        return new Member(
                node.id,
                pod,
                new Address(pod, 6379),
                flags,
                node.follows,
                node.up,
                (BitSet) node.slots.clone(),
                myself ? Map.copyOf(node.migrating) : Map.of(),
                myself ? node.importing : new BitSet());
    }

    void take(Step step) {
        if (step instanceof Step.Forget forget) {
            var forgotten = gone.remove(forget.id());
            lost += forgotten == null ? 0 : forgotten.slots.cardinality();
        } else if (step instanceof Step.Assign assign) {
            assign.slots().forEach(node(assign.to()).slots::set);
        } else if (step instanceof Step.Follow follow) {
            var node = node(follow.replica());
            require(node.slots.isEmpty(), "a member with slots cannot follow: " + step);
            require(node(follow.primary()).follows == null, "replicas are not followed: " + step);
            node.follows = follow.primary().id();
            node.inStep = false;
            node.barred = true;
        } else if (step instanceof Step.Free free) {
            var node = node(free.replica());
            require(node.follows != null, "a primary is not emptied: " + step);
            node.follows = null;
            node.inStep = true;
        } else if (step instanceof Step.TakeOver takeOver) {
            takeOver(node(takeOver.replica()));
        } else if (step instanceof Step.Promote promote) {
            var heir = node(promote.replica());
            replace(Objects.requireNonNull(gone.get(heir.follows)), heir);
        } else if (step instanceof Step.Settle settle) {
            node(settle.at()).migrating.remove(settle.slot());
        } else if (step instanceof Step.Move move) {
            move.slots().forEach(slot -> move(node(move.from()), node(move.to()), slot));
        }
    }

    private void takeOver(Node heir) {
        require(heir.inStep, "its primary waits for it in vain");
        var before = byId(heir.follows);
        heir.follows = null;
        heir.slots.or(before.slots);
        before.slots.clear();
        pods.values().stream().filter(node -> before.id.equals(node.follows)).forEach(node -> node.follows = heir.id);
        before.follows = heir.id;
    }

    private static void move(Node from, Node to, int slot) {
        require(from.slots.get(slot), "moves what it has not: " + slot);
        require(to.follows == null, "a replica has no slots");
        from.slots.clear(slot);
        from.migrating.remove(slot);
        to.importing.clear(slot);
        to.slots.set(slot);
    }

    /** A move that was broken off. */
    void leaveOpen(int slot, int fromPod, int toPod) {
        pod(fromPod).migrating.put(slot, pod(toPod).id);
        pod(toPod).importing.set(slot);
    }

    private Node pod(int pod) {
        return Objects.requireNonNull(pods.get("shop-store-" + pod));
    }

    private Node node(Member member) {
        return byId(member.id());
    }

    private Node byId(@Nullable String id) {
        return pods.values().stream()
                .filter(node -> node.id.equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new AssertionError(message);
        }
    }
}
