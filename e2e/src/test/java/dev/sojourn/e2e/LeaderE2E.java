package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@DisplayName("The operator that leads is deleted")
class LeaderE2E {
    /** As a process ends by itself that got SIGTERM; 137: it had to be killed. */
    private static final int ENDED = 143;

    @Test
    @DisplayName("it ends by itself, and another one leads")
    void endsByItself(Cluster cluster) {
        var pods = cluster.client().pods().inNamespace(Cluster.SYSTEM);
        // What held the lease before an upgrade may be gone.
        String leader = await("a leader that is there")
                .atMost(Cluster.seconds(120))
                .until(
                        () -> holder(cluster),
                        name -> !name.isEmpty() && pods.withName(name).get() != null);
        Set<Integer> exitCodes = ConcurrentHashMap.newKeySet();
        try (var watch = pods.withName(leader).watch(new Ends(exitCodes))) {
            pods.withName(leader).delete();
            await("the leader is gone")
                    .atMost(Cluster.seconds(120))
                    .until(() -> pods.withName(leader).get() == null && !exitCodes.isEmpty());
        }
        assertThat(exitCodes).containsExactly(ENDED);
        await("another one leads")
                .atMost(Cluster.seconds(120))
                .until(() -> holder(cluster), name -> !name.isEmpty() && !name.equals(leader));
    }

    private static String holder(Cluster cluster) {
        var lease = cluster.client()
                .leases()
                .inNamespace(Cluster.SYSTEM)
                .withName("sojourn-operator")
                .get();
        return Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
    }

    /** With what a pod's containers have ended. */
    private record Ends(Set<Integer> exitCodes) implements Watcher<Pod> {
        @Override
        public void eventReceived(Action action, Pod pod) {
            pod.getStatus().getContainerStatuses().stream()
                    .map(status -> status.getState().getTerminated())
                    .filter(Objects::nonNull)
                    .map(ContainerStateTerminated::getExitCode)
                    .forEach(exitCodes::add);
        }

        @Override
        public void onClose(WatcherException cause) {
            // Closed by us, when the pod is gone.
        }
    }
}
