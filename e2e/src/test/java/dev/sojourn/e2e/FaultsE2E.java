package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Tally;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("faults")
@ExtendWith(World.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName(
        "Faults of the cluster, while 20 users click on three nodes, Sync: nobody is logged out, nothing confirmed is lost")
class FaultsE2E {
    private static final int USERS = 20;
    private static final Node CONTROL_PLANE = new Node("sojourn-control-plane");

    private static final String CONTROL_PLANE_TAINT = "node-role.kubernetes.io/control-plane";

    private Shop shop;
    private Cluster cluster;

    @BeforeAll
    void setUp(Cluster world) {
        assumeTrue(world.isOurs(), "faults are made on the nodes of a cluster of ours");
        cluster = world;
        taintControlPlane(false);
        shop = new Shop(world, "e2e-faults", 30085);
        shop.deployApplication();
        shop.applySessionCluster(spec -> {
            var store = Shop.child(Shop.child(spec, "store"), "managed");
            store.put("topology", "Replicated");
            store.put("ephemeral", true);
            Shop.child(spec, "proxy").put("stickiness", "None");
            return spec;
        });
        shop.awaitReady();
    }

    @AfterAll
    void tearDown() {
        if (shop != null) {
            shop.close();
            taintControlPlane(true);
        }
    }

    @Test
    @Order(1)
    @DisplayName("the store loses everything: sidecars put it back")
    void storeWiped() throws Exception {
        under("store wiped", false, load -> {
            cluster.client()
                    .pods()
                    .inNamespace(shop.namespace())
                    .withLabel("app.kubernetes.io/component", "store")
                    .withGracePeriod(0)
                    .delete();
            awaitStore();
        });
    }

    @Test
    @Order(2)
    @DisplayName(
            "no operator is there while every pod is replaced, and an Envoy goes meanwhile: the roll-out waits, users do not")
    void operatorAbsent() throws Exception {
        var operator = cluster.client()
                .apps()
                .deployments()
                .inNamespace(Cluster.SYSTEM)
                .withName("sojourn");
        int replicas = operator.get().getSpec().getReplicas();
        under("operator absent during a roll-out", true, load -> {
            operator.scale(0);
            await("no operator")
                    .atMost(Cluster.seconds(60))
                    .until(() -> operators().isEmpty());
            shop.restart();
            cluster.client()
                    .pods()
                    .inNamespace(shop.namespace())
                    .resource(envoys().get(0))
                    .delete();
            awaitTraffic(load);
            operator.scale(replicas);
            shop.awaitRolledOut();
        });
    }

    @Test
    @Order(3)
    @DisplayName("the API server is away for a minute")
    void apiServerAway() throws Exception {
        under("API server away", true, load -> {
            CONTROL_PLANE.takeAway("kube-apiserver.yaml");
            try {
                await("no API server").atMost(Cluster.seconds(60)).until(() -> !apiServerAnswers());
                var gone = Instant.now();
                await("a minute of traffic without it")
                        .atMost(Cluster.seconds(120))
                        .until(() -> {
                            awaitTraffic(load);
                            return Duration.between(gone, Instant.now()).compareTo(Duration.ofSeconds(60)) > 0;
                        });
            } finally {
                CONTROL_PLANE.putBack("kube-apiserver.yaml");
            }
            await("the API server").atMost(Cluster.seconds(120)).until(this::apiServerAnswers);
        });
    }

    @Test
    @Order(4)
    @DisplayName("the node of the store's primary is cut off, with application pods and an Envoy on it, and heals")
    void nodeCutOff() throws Exception {
        under("node cut off", false, load -> {
            var node = nodeOfPrimary();
            String primary = primary();
            String address = node.cutOff();
            try {
                awaitOtherPrimary(primary);
                awaitTraffic(load);
            } finally {
                node.heal(address);
            }
            awaitStore();
            shop.awaitRolledOut();
        });
    }

    @Test
    @Order(5)
    @DisplayName("the node of the store's primary is killed, with application pods and an Envoy on it, and comes back")
    void nodeKilled() throws Exception {
        under("node killed", false, load -> {
            var node = nodeOfPrimary();
            String primary = primary();
            node.kill();
            try {
                awaitOtherPrimary(primary);
                awaitTraffic(load);
            } finally {
                node.start();
            }
            awaitStore();
            shop.awaitRolledOut();
        });
    }

    /** What is done to the cluster while users click. */
    private interface Fault {
        void happen(Load load) throws Exception;
    }

    /** @param unnoticed whether no request may fail; what is on its way to a node that dies does */
    private void under(String what, boolean unnoticed, Fault fault) throws Exception {
        try (var load = Load.start(shop.address(), USERS)) {
            awaitTraffic(load);
            fault.happen(load);
            awaitTraffic(load);
            Tally tally = load.stop();

            System.out.printf("%s: %s%n", what, tally);
            assertThat(tally.lost())
                    .as("sessions lost: " + tally.firstProblem())
                    .isZero();
            assertThat(tally.stale()).as("stale reads: " + tally.firstProblem()).isZero();
            assertThat(tally.corrupt()).as("corrupt: " + tally.firstProblem()).isZero();
            if (unnoticed) {
                assertThat(tally.failures())
                        .as("failed: " + tally.firstProblem())
                        .isZero();
            }
        }
    }

    private static void awaitTraffic(Load load) {
        long answered = answered(load);
        await("traffic").atMost(Cluster.seconds(120)).until(() -> answered(load) > answered + 10 * USERS);
    }

    private static long answered(Load load) {
        return load.tally().requests() - load.tally().failures();
    }

    private void awaitStore() {
        await("the store is whole again")
                .atMost(Cluster.seconds(240))
                .pollInterval(Cluster.seconds(1))
                .until(() -> shop.condition("StoreReady").startsWith("True/StoreRuns"));
    }

    private void awaitOtherPrimary(String before) {
        await("another primary than " + before)
                .atMost(Cluster.seconds(120))
                .pollInterval(Cluster.seconds(1))
                .until(() -> !primary().isEmpty() && !primary().equals(before));
    }

    /** The worker that the primary runs on: the control plane is left alone, all roads lead through it. */
    private Node nodeOfPrimary() {
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

    private String primary() {
        Map<String, Object> status = shop.sessionCluster().get().get("status");
        return status.get("storePods") instanceof List<?> pods
                ? pods.stream()
                        .map(Map.class::cast)
                        .filter(pod -> "Primary".equals(pod.get("role")))
                        .map(pod -> String.valueOf(pod.get("name")))
                        .findFirst()
                        .orElse("")
                : "";
    }

    private List<Pod> operators() {
        return cluster.client()
                .pods()
                .inNamespace(Cluster.SYSTEM)
                .withLabel("app.kubernetes.io/name", "sojourn")
                .list()
                .getItems();
    }

    private List<Pod> envoys() {
        return cluster.client()
                .pods()
                .inNamespace(shop.namespace())
                .withLabel("app.kubernetes.io/component", "proxy")
                .list()
                .getItems();
    }

    private boolean apiServerAnswers() {
        try {
            cluster.client().namespaces().withName("default").get();
            return true;
        } catch (KubernetesClientException e) {
            return false;
        }
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
