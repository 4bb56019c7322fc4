package dev.sojourn.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A shop on three nodes, its store replicated and without volumes, its users without stickiness: what faults are held against. The
 * nodes must be containers of this machine.
 */
@Tag("faults")
@ExtendWith(World.class)
@Isolated("breaks the cluster")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Faulty {
    static final Node CONTROL_PLANE = new Node("sojourn-control-plane");
    static final int USERS = 20;
    private static final int STORE_PODS = 3;
    private static final String CONTROL_PLANE_TAINT = "node-role.kubernetes.io/control-plane";

    Shop shop;
    Cluster cluster;

    @BeforeAll
    void setUp(Cluster world) {
        assumeTrue(world.isOurs(), "faults are made on the nodes of a cluster of ours");
        cluster = world;
        taintControlPlane(false);
        shop = new Shop(world, "e2e-faults");
        shop.deployApplication();
        shop.applySessionCluster(Faulty::replicated);
        shop.awaitReady();
    }

    @AfterAll
    void tearDown() {
        if (cluster == null) {
            return;
        }
        try {
            if (shop != null) {
                shop.close();
            }
        } finally {
            taintControlPlane(true);
        }
    }

    static Map<String, Object> replicated(Map<String, Object> spec) {
        var store = Shop.child(Shop.child(spec, "store"), "managed");
        store.put("topology", "Replicated");
        store.put("ephemeral", true);
        Shop.child(spec, "proxy").put("stickiness", "None");
        return spec;
    }

    /** What is done to the cluster while users click. */
    interface Fault {
        void happen(Load load) throws Exception;
    }

    /**
     * Afterwards sessions have to be right, and every key of the store to expire.
     *
     * @param unnoticed whether no request may fail; what is on its way to a node that dies does
     */
    void under(String what, boolean unnoticed, Fault fault) throws Exception {
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            fault.happen(load);
            load.awaitClicks();
            if (unnoticed) {
                Verdict.nobodyNoticed(what, load.stop());
            } else {
                Verdict.sessionsAreRight(what, load.stop());
            }
        }
        new StorePods(cluster, shop).assertThatEveryKeyExpires();
    }

    void awaitStore() {
        shop.awaitStore(STORE_PODS);
    }

    void awaitOtherPrimary(String before) {
        await("another primary than " + before)
                .atMost(Cluster.seconds(120))
                .pollInterval(Cluster.seconds(1))
                .until(() -> !primary().isEmpty() && !primary().equals(before));
    }

    /** The worker that the primary runs on: the control plane is left alone, all roads lead through it. */
    Node nodeOfPrimary() {
        awaitStore();
        return await("the primary is on a worker")
                .atMost(Cluster.seconds(180))
                .until(
                        () -> {
                            String name = primary();
                            var pods = cluster.client().pods().inNamespace(shop.namespace());
                            var pod =
                                    name.isEmpty() ? null : pods.withName(name).get();
                            if (pod != null && pod.getSpec().getNodeName().equals(CONTROL_PLANE.name())) {
                                pods.resource(pod).delete();
                                awaitOtherPrimary(name);
                                awaitStore();
                                return null;
                            }
                            return pod == null ? null : new Node(pod.getSpec().getNodeName());
                        },
                        Objects::nonNull);
    }

    String primary() {
        var primaries = shop.storePrimaries();
        return primaries.size() == 1 ? primaries.get(0) : "";
    }

    /** The pods of one of Sojourn's parts beside the application: {@code store} or {@code proxy}. */
    List<Pod> pods(String component) {
        return cluster.client()
                .pods()
                .inNamespace(shop.namespace())
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems();
    }

    /** Three nodes for the shop's pods: with two, one of them holds a majority of the store. */
    private void taintControlPlane(boolean tainted) {
        cluster.client().nodes().withName(CONTROL_PLANE.name()).edit(node -> {
            node.getSpec().getTaints().removeIf(taint -> taint.getKey().equals(CONTROL_PLANE_TAINT));
            if (tainted) {
                node.getSpec()
                        .getTaints()
                        .add(new TaintBuilder()
                                .withKey(CONTROL_PLANE_TAINT)
                                .withEffect("NoSchedule")
                                .build());
            }
            return node;
        });
    }
}
