package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;

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
            awaitStore();
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
            awaitStore();
            shop.awaitRolledOut();
        });
    }

    @Test
    @DisplayName("cut off from all others with everything on it running, and healed")
    void nodeCutOff() throws Exception {
        under("node cut off", false, load -> {
            var node = nodeOfPrimary();
            String primary = primary();
            String address = node.cutOff();
            try {
                awaitOtherPrimary(primary);
                load.awaitClicks();
            } finally {
                node.heal(address);
            }
            awaitStore();
            shop.awaitRolledOut();
        });
    }

    @Test
    @DisplayName("killed, and started again")
    void nodeKilled() throws Exception {
        under("node killed", false, load -> {
            var node = nodeOfPrimary();
            String primary = primary();
            node.kill();
            try {
                awaitOtherPrimary(primary);
                load.awaitClicks();
            } finally {
                node.start();
            }
            awaitStore();
            shop.awaitRolledOut();
        });
    }

    /** The application and Envoy as before, on the other nodes. */
    private void awaitPodsElsewhere(Node node) {
        shop.awaitRolledOut();
        shop.awaitProxyRolledOut();
        assertThat(shop.pods()).extracting(pod -> pod.getSpec().getNodeName()).doesNotContain(node.name());
    }
}
