package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;

/** The pods of a shop's replicated or sharded store, asked as their own scripts ask them. */
final class StorePods {
    private final Cluster cluster;
    private final Shop shop;

    StorePods(Cluster cluster, Shop shop) {
        this.cluster = cluster;
        this.shop = shop;
    }

    void wipe(String primary) {
        assertThat(ask(primary, "here flushall")).contains("OK");
    }

    /** Whatever happened, nothing is in the store for good: neither in primaries nor in those who may follow them. */
    void assertThatEveryKeyExpires() {
        var pods = pods();
        int keys = 0;
        List<String> unending = new ArrayList<>();
        for (var pod : pods) {
            String name = pod.getMetadata().getName();
            // A replica of a cluster answers only to READONLY; others say that they are no cluster, also in one line.
            List<String> lines = ask(
                            name,
                            "keys=$(here --scan); echo \"$keys\"; { echo READONLY; echo \"$keys\" | sed 's/^/PTTL /'; } | here")
                    .lines()
                    .filter(line -> !line.isBlank())
                    .toList();
            int count = lines.size() / 2;
            List<String> millis = lines.subList(count + 1, lines.size());
            assertThat(millis).as("times to live in " + name).hasSize(count).allMatch(line -> line.matches("-?\\d+"));
            for (int i = 0; i < count; i++) {
                if (millis.get(i).equals("-1")) {
                    unending.add(lines.get(i) + " in " + name);
                }
            }
            keys += count;
        }
        System.out.printf("%d keys in %d pods of the store, %d of them for good%n", keys, pods.size(), unending.size());
        assertThat(keys).as("keys in the store").isPositive();
        assertThat(unending).as("keys without a time-out").isEmpty();
    }

    /** A server or a Sentinel that ended by itself is one failure more than those that were meant. */
    void assertThatNoneStartedAgain() {
        for (var pod : pods()) {
            for (var container : pod.getStatus().getContainerStatuses()) {
                assertThat(container.getRestartCount())
                        .as(
                                "restarts of %s in %s",
                                container.getName(), pod.getMetadata().getName())
                        .isZero();
            }
        }
    }

    private List<Pod> pods() {
        return cluster.client()
                .pods()
                .inNamespace(shop.namespace())
                .withLabel("app.kubernetes.io/component", "store")
                .list()
                .getItems();
    }

    /** A node that was started again says that its pods run before anybody can get into them. */
    private String ask(String pod, String script) {
        String all = ". /config/common.sh; " + script;
        return await("an answer of " + pod)
                .atMost(Cluster.seconds(120))
                .pollInterval(Cluster.seconds(1))
                .ignoreExceptionsInstanceOf(IllegalStateException.class)
                .until(
                        () -> Shell.run(
                                "kubectl", "-n", shop.namespace(), "exec", pod, "-c", "valkey", "--", "sh", "-c", all),
                        answered -> true);
    }
}
