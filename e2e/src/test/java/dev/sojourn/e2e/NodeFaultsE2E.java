package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "A node goes, with the store's primary, application pods and an Envoy on it, while 20 users click: nobody is logged out, nothing confirmed is lost")
class NodeFaultsE2E extends Faulty {

    @Test
    @DisplayName("drained, as for its maintenance, and taken back: nobody notices")
    void drained() throws Exception {
        under("node drained", true, load -> {
            var node = nodeOfPrimary();
            node.drain(120, "--timeout=180s");
            try {
                awaitPodsElsewhere(node);
                load.awaitClicks();
            } finally {
                node.uncordon();
            }
            awaitAllOfIt();
        });
    }

    @Test
    @DisplayName("reclaimed, as a spot instance: its pods get 25 seconds' notice, then the power fails")
    void reclaimed() throws Exception {
        under("node reclaimed", true, load -> {
            var node = nodeOfPrimary();
            node.drain(25, "--timeout=60s");
            node.kill();
            try {
                awaitPodsElsewhere(node);
                load.awaitClicks();
            } finally {
                node.start();
                node.uncordon();
            }
            awaitAllOfIt();
        });
    }

    @Test
    @DisplayName("cut off from all others with everything on it running, and healed")
    void cutOff() throws Exception {
        under("node cut off", false, load -> {
            var node = nodeOfPrimary();
            String primary = primary();
            node.cutOff();
            try {
                awaitOtherPrimary(primary);
                load.awaitClicks();
            } finally {
                node.heal();
            }
            awaitAllOfIt();
        });
    }

    @Test
    @DisplayName("killed, and started again")
    void killed() throws Exception {
        under("node killed", false, this::kill);
    }

    @Test
    @DisplayName(
            "killed in Async: what was answered and not yet in the store is lost with it; counted, and nothing else is")
    void killedInAsync() throws Exception {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "replication").put("mode", "Async");
            return replicated(spec);
        });
        shop.awaitReady();
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            kill(load);
            load.awaitClicks();
            var tally = load.stop();
            System.out.printf("node killed, Async: %s%n", tally);
            // A user has one click on its way at a time, so no more than one of each can have gone.
            assertThat(tally.lost() + tally.stale()).as(tally.firstProblem()).isLessThanOrEqualTo(USERS);
            assertThat(tally.corrupt()).as(tally.firstProblem()).isZero();
            new StorePods(cluster, shop).assertThatEveryKeyExpires();
        } finally {
            shop.applySessionCluster(Faulty::replicated);
            shop.awaitReady();
        }
    }

    private void kill(Load load) {
        var node = nodeOfPrimary();
        String primary = primary();
        node.kill();
        try {
            awaitOtherPrimary(primary);
            load.awaitClicks();
        } finally {
            var since = Instant.now().truncatedTo(ChronoUnit.SECONDS);
            node.start();
            awaitStartedAgain(node, since);
        }
        awaitAllOfIt();
    }

    /** Until the kubelet has told the API server otherwise, what was on the node still counts as ready. */
    private void awaitStartedAgain(Node node, Instant since) {
        await("what is on " + node.name() + " has started again")
                .atMost(Cluster.seconds(180))
                .pollInterval(Cluster.seconds(1))
                .until(() -> cluster
                        .client()
                        .pods()
                        .inNamespace(shop.namespace())
                        .withField("spec.nodeName", node.name())
                        .list()
                        .getItems()
                        .stream()
                        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                        .map(status -> status.getState().getRunning())
                        .allMatch(running -> running != null
                                && !Instant.parse(running.getStartedAt()).isBefore(since)));
    }

    /** Store, application and Envoy as before: what comes next begins with a whole cluster. */
    private void awaitAllOfIt() {
        awaitStore();
        shop.awaitRolledOut();
        shop.awaitProxyRolledOut();
    }

    /** The application and Envoy as before, on the other nodes. */
    private void awaitPodsElsewhere(Node node) {
        shop.awaitRolledOut();
        shop.awaitProxyRolledOut();
        assertThat(shop.pods()).extracting(pod -> pod.getSpec().getNodeName()).doesNotContain(node.name());
    }
}
