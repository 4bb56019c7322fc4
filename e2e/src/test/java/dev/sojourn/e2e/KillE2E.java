package dev.sojourn.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Tally;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("A crash logs nobody out: kill -9 while 20 users click without stickiness")
class KillE2E {
    private static final int USERS = 20;

    @BeforeEach
    void setUp(Shop shop, Cluster cluster) {
        assumeTrue(cluster.isOurs(), "kill -9 needs the nodes of a cluster of ours");
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("stickiness", "None");
            return spec;
        });
        shop.awaitProxyRolledOut();
        shop.awaitRolledOut();
    }

    @Test
    @DisplayName("of every application's JVM, one after the other")
    void jvm(Shop shop, Cluster cluster) throws Exception {
        Verdict.sessionsAreRight("kill -9 java", killEach(shop, cluster, "tomcat", "java"));
    }

    @Test
    @DisplayName("of every daemon, one after the other")
    void daemon(Shop shop, Cluster cluster) throws Exception {
        Verdict.nobodyNoticed("kill -9 sojournd", killEach(shop, cluster, "sojourn", "sojournd"));
    }

    private static Tally killEach(Shop shop, Cluster cluster, String container, String process) throws Exception {
        try (var load = Load.start(shop.address(), USERS)) {
            for (Pod pod : shop.pods()) {
                long before = load.tally().requests();
                await("traffic before the kill")
                        .atMost(Cluster.seconds(60))
                        .until(() -> load.tally().requests() > before + USERS);
                int restarts = restarts(pod, container);
                cluster.kill(pod, process);
                await(container + " of " + pod.getMetadata().getName() + " is back")
                        .atMost(Cluster.seconds(120))
                        .until(() -> shop.pods().stream()
                                .filter(p -> p.getMetadata()
                                        .getUid()
                                        .equals(pod.getMetadata().getUid()))
                                .anyMatch(p -> restarts(p, container) > restarts && ready(p)));
            }
            return load.stop();
        }
    }

    private static int restarts(Pod pod, String container) {
        return statuses(pod)
                .filter(status -> status.getName().equals(container))
                .mapToInt(ContainerStatus::getRestartCount)
                .sum();
    }

    private static boolean ready(Pod pod) {
        return statuses(pod).allMatch(ContainerStatus::getReady);
    }

    private static Stream<ContainerStatus> statuses(Pod pod) {
        return Stream.concat(
                pod.getStatus().getInitContainerStatuses().stream(), pod.getStatus().getContainerStatuses().stream());
    }
}
