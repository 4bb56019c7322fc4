package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;

@ExtendWith(World.class)
@Isolated("replaces the operator")
@DisplayName("The operator that leads is deleted")
class LeaderE2E {
    /** As a process ends by itself that got SIGTERM; 137: it had to be killed. */
    private static final int ENDED = 143;

    @Test
    @DisplayName("it ends by itself and releases the lease, and another one leads")
    void endsByItself(Cluster cluster) {
        var pods = cluster.client().pods().inNamespace(Cluster.SYSTEM);
        // What held the lease before an upgrade may be gone.
        String leader = await("a leader that is there")
                .atMost(Cluster.seconds(120))
                .until(
                        () -> holder(cluster),
                        name -> !name.isEmpty() && pods.withName(name).get() != null);
        Set<Integer> exitCodes = ConcurrentHashMap.newKeySet();
        List<String> holders = new CopyOnWriteArrayList<>();
        try (var ends = pods.withName(leader).watch(new Ends(exitCodes));
                var leads = lease(cluster).watch(new Holders(holders))) {
            pods.withName(leader).delete();
            await("the leader is gone")
                    .atMost(Cluster.seconds(120))
                    .until(() -> pods.withName(leader).get() == null && !exitCodes.isEmpty());
            await("another one leads")
                    .atMost(Cluster.seconds(120))
                    .until(() -> holders.stream().anyMatch(name -> !name.isEmpty() && !name.equals(leader)));
        }
        assertThat(exitCodes).containsExactly(ENDED);
        // Not taken from it when it had expired.
        assertThat(holders.stream().dropWhile(leader::equals)).startsWith("");
    }

    private static String holder(Cluster cluster) {
        return holder(lease(cluster).get());
    }

    /** The pod: after its name comes which of its processes it is. */
    private static String holder(Lease lease) {
        String identity = Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
        return identity.replaceFirst("_.*", "");
    }

    private static Resource<Lease> lease(Cluster cluster) {
        return cluster.client().leases().inNamespace(Cluster.SYSTEM).withName("sojourn-operator");
    }

    /** Who holds the lease, as it is and after each change. */
    private record Holders(List<String> names) implements Watcher<Lease> {
        @Override
        public void eventReceived(Action action, Lease lease) {
            names.add(holder(lease));
        }

        @Override
        public void onClose(WatcherException cause) {
            // Closed by us, when another one leads.
        }
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
