package dev.sojourn.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@ExtendWith(World.class)
@Isolated("replaces the operator")
@DisplayName("The chart installs, upgrades and goes")
class ChartE2E {
    private static final int USERS = 20;

    /** Nothing is in it. */
    private static final String NOBODYS = "e2e-nobodys";

    @Test
    @DisplayName("once installed, it says itself whether it works")
    void helmTest() {
        assertThat(Shell.run("helm", "test", "sojourn", "--namespace", Cluster.SYSTEM, "--timeout=2m"))
                .contains("Succeeded");
    }

    @Test
    @DisplayName("an upgrade replaces the operator and nothing else, while 20 users click")
    void upgrade(Shop shop, Cluster cluster, @TempDir Path scratch) throws Exception {
        cluster.install(chartBefore(scratch), "--set=podAnnotations.chart=before");
        shop.awaitReady();
        var operators = uids(cluster, Cluster.SYSTEM, "app.kubernetes.io/component", "operator");
        var running = running(cluster, shop);

        try (var load = Load.start(shop.address(), USERS)) {
            cluster.install();
            load.awaitClicks();
            Verdict.nobodyNoticed("helm upgrade", load.stop());
        }
        // Helm waits for the new pods to be ready, not for the old ones to be gone.
        await("the operator's pods are others")
                .atMost(Cluster.seconds(60))
                .untilAsserted(() -> assertThat(uids(cluster, Cluster.SYSTEM, "app.kubernetes.io/component", "operator")
                                .keySet())
                        .doesNotContainAnyElementsOf(operators.keySet()));
        assertThat(running(cluster, shop))
                .as("pods of application, store and proxy, with their restarts")
                .isEqualTo(running);
    }

    @Test
    @Tag("faults")
    @DisplayName(
            "while the operator's pods are replaced each new pod gets its sidecar, also where it would start without")
    void podsMeanwhile(Shop shop, Cluster cluster) {
        cluster.install(Cluster.CHART, "--set=webhook.failurePolicy=Ignore", "--set=webhook.timeoutSeconds=30");
        var operators = cluster.client()
                .pods()
                .inNamespace(Cluster.SYSTEM)
                .withLabel("app.kubernetes.io/component", "operator");
        var before = uidsOf(operators.list().getItems());
        var made = new ArrayList<Pod>();
        try {
            Shell.run("kubectl", "-n", Cluster.SYSTEM, "rollout", "restart", "deployment/sojourn");
            await("the operator's pods are gone, each to its last moment")
                    .atMost(Cluster.seconds(180))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> {
                        // Several at a time: an API server then has connections to several operators.
                        made.addAll(IntStream.range(0, 4)
                                .parallel()
                                .mapToObj(i -> shop.wouldMake())
                                .toList());
                        return Collections.disjoint(uidsOf(operators.list().getItems()), before);
                    });
        } finally {
            cluster.install();
        }
        assertThat(made.stream().filter(pod -> !Shop.isInjected(pod)))
                .as("those of %d without a sidecar", made.size())
                .isEmpty();
    }

    /** Those that are about to end too. */
    private static List<String> uidsOf(List<Pod> pods) {
        return pods.stream().map(pod -> pod.getMetadata().getUid()).toList();
    }

    @Test
    @Tag("faults")
    @DisplayName("an uninstallation leaves the application, and nothing of the operator")
    void uninstall(Cluster cluster) {
        try (var shop = new Shop(cluster, "e2e-uninstall")) {
            shop.deployApplication();
            shop.makeSessionAware();
            shop.sessionCluster().delete();
            await("SessionCluster is gone")
                    .atMost(Cluster.seconds(330))
                    .until(() -> shop.sessionCluster().get() == null);
            shop.awaitRolledOut();
            var application = uids(cluster, shop.namespace(), "app", Shop.NAME);

            Shell.run("helm", "uninstall", "sojourn", "--namespace", Cluster.SYSTEM, "--wait", "--timeout=2m");

            // Helm waits for the Deployment to be gone, not for its pods.
            await("nothing of the operator is left")
                    .atMost(Cluster.seconds(90))
                    .untilAsserted(() -> assertThat(ours()).isEmpty());
            assertThat(uids(cluster, shop.namespace(), "app", Shop.NAME)).isEqualTo(application);
            // A pod that starts now asks nobody: no webhook is left that could hold it up.
            shop.restart();
            shop.awaitRolledOut();
        } finally {
            cluster.install();
        }
    }

    @Test
    @Tag("faults")
    @DisplayName("with namespaces named, it works in these, and leaves the others alone")
    void namespaced(Cluster cluster) throws Exception {
        try (var ours = new Shop(cluster, "e2e-ours");
                var theirs = new Shop(cluster, "e2e-theirs")) {
            theirs.deployApplication();
            ours.deployApplication();
            Shell.run("kubectl", "create", "namespace", NOBODYS);
            cluster.install(Cluster.CHART, "--set=watchNamespaces={" + ours.namespace() + "," + NOBODYS + "}");
            theirs.applySessionCluster(spec -> spec);
            ours.makeSessionAware();
            try (var load = Load.start(ours.address(), USERS)) {
                ours.restart();
                ours.awaitRolledOut();
                Verdict.nobodyNoticed("namespaced", load.stop());
            }
            assertThat(theirs.condition("Ready")).isEmpty();
            assertThat(theirs.pods())
                    .allSatisfy(
                            pod -> assertThat(pod.getSpec().getInitContainers()).isEmpty());

            // With its SessionCluster in it; and the operator's rights there go too.
            cluster.deleteNamespace(ours.namespace());
            Shell.run("kubectl", "-n", Cluster.SYSTEM, "rollout", "restart", "deployment/sojourn");
            Shell.run("kubectl", "-n", Cluster.SYSTEM, "rollout", "status", "deployment/sojourn", "--timeout=3m");
        } finally {
            cluster.install();
            cluster.deleteNamespace(NOBODYS);
        }
    }

    @Test
    @Tag("faults")
    @DisplayName("where the cluster says as whom pods run, and refuses those that say so themselves")
    void assignedUsers(Cluster cluster) throws Exception {
        var policy = cluster.client()
                .load(new ByteArrayInputStream(
                        Resource.text("/assigned-users.yaml").getBytes(UTF_8)));
        try (var shop = new Shop(cluster, "e2e-assigned")) {
            shop.createNamespace();
            policy.serverSideApply();
            await("the policy holds").atMost(Cluster.seconds(60)).until(() -> isRefused(cluster, shop.namespace()));
            cluster.install(Cluster.CHART, "--set=assignedUsers=true");
            shop.deployApplication();
            shop.makeSessionAware();
            try (var load = Load.start(shop.address(), USERS)) {
                shop.restart();
                shop.awaitRolledOut();
                load.awaitClicks();
                Verdict.nobodyNoticed("assigned users", load.stop());
            }
        } finally {
            policy.delete();
            cluster.install();
        }
    }

    private static boolean isRefused(Cluster cluster, String namespace) {
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName("says-so-itself")
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .withNewSecurityContext()
                .withRunAsUser(1L)
                .endSecurityContext()
                .addNewContainer()
                .withName("any")
                .withImage("any")
                .endContainer()
                .endSpec()
                .build();
        try {
            cluster.client().resource(pod).dryRun().create();
            return false;
        } catch (KubernetesClientException e) {
            return String.valueOf(e.getMessage()).contains("assigned-users");
        }
    }

    /** As it was before its last change: with the images of this tree, for only these are here. */
    private static Path chartBefore(Path scratch) {
        String top = Cluster.TOP.toString();
        String[] changes = Shell.run("git", "-C", top, "log", "-2", "--format=%H", "--", "charts/sojourn")
                .trim()
                .split("\n");
        assumeTrue(changes.length == 2, "a clone with too little history to know the chart before its last change");
        String archive = scratch.resolve("chart.tar").toString();
        Shell.run("git", "-C", top, "archive", "-o", archive, changes[1], "charts/sojourn");
        Shell.run("tar", "-xf", archive, "-C", scratch.toString());
        return scratch.resolve("charts/sojourn");
    }

    /** What the chart made, and in the operator's own namespace what the operator made. */
    private static List<String> ours() {
        String kinds = "clusterroles,clusterrolebindings,mutatingwebhookconfigurations,deployments,services,"
                + "serviceaccounts,roles,rolebindings,poddisruptionbudgets,networkpolicies,configmaps,pods";
        String made =
                Shell.run("kubectl", "get", kinds, "-A", "-l", "app.kubernetes.io/instance=sojourn", "-o", "name");
        String left = Shell.run("kubectl", "get", "secrets,leases", "-n", Cluster.SYSTEM, "-o", "name");
        return (made + left).lines().filter(line -> line.contains("/")).toList();
    }

    private static Map<String, Integer> running(Cluster cluster, Shop shop) {
        var all = uids(cluster, shop.namespace(), "app", Shop.NAME);
        all.putAll(uids(cluster, shop.namespace(), "sojourn.dev/owned-by", Shop.NAME));
        return all;
    }

    /** How often containers have restarted, by the pods' names and uids; of pods that are not on their way out. */
    private static Map<String, Integer> uids(Cluster cluster, String namespace, String label, String value) {
        var restarts = new TreeMap<String, Integer>();
        for (Pod pod : cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabel(label, value)
                .list()
                .getItems()) {
            var meta = pod.getMetadata();
            if (meta.getDeletionTimestamp() == null) {
                restarts.put(
                        meta.getName() + " " + meta.getUid(),
                        pod.getStatus().getContainerStatuses().stream()
                                .mapToInt(status -> status.getRestartCount())
                                .sum());
            }
        }
        return restarts;
    }
}
