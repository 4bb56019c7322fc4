package dev.sojourn.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/** The cluster of {@code make cluster-up} (or the current one, with {@code CLUSTER=existing}), and Sojourn on it. */
public final class Cluster implements AutoCloseable {
    static final String SYSTEM = "sojourn-system";
    static final Path TOP = top();
    static final Path CHART = TOP.resolve("charts/sojourn");

    private final KubernetesClient client;
    /** Of those that {@code kind.yaml} maps to the loopback; the first is the demo's, the last one for HTTPS. */
    private final Queue<Integer> nodePorts =
            IntStream.rangeClosed(30081, 30088).boxed().collect(Collectors.toCollection(ConcurrentLinkedQueue::new));

    private final boolean existing = "existing".equals(System.getenv("CLUSTER"));

    public Cluster() {
        // What is awaited is awaited again: a connection that the API server closed in between is no finding.
        Awaitility.ignoreExceptionByDefault(KubernetesClientException.class);
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder().withRequestTimeout(30_000).build())
                .build();
    }

    public KubernetesClient client() {
        return client;
    }

    /** Whether this is a kind cluster of ours, whose nodes are containers of this machine. */
    boolean isOurs() {
        return !existing;
    }

    int takeNodePort() {
        return Objects.requireNonNull(nodePorts.poll(), "no node port is left: close a shop, or map more in kind.yaml");
    }

    void giveBackNodePort(int nodePort) {
        nodePorts.add(nodePort);
    }

    /** {@code helm install}s Sojourn, or brings it to the state of this tree, and waits until it is ready and what was there before is gone. */
    void install() {
        install(CHART);
    }

    /** The same from another chart, with further options. */
    void install(Path chart, String... options) {
        var command = new ArrayList<>(List.of(
                "helm",
                "upgrade",
                "--install",
                "sojourn",
                chart.toString(),
                "--namespace",
                SYSTEM,
                "--create-namespace",
                "--wait",
                "--timeout=5m"));
        if (existing) {
            command.add("--set=image.registry=" + System.getenv("REGISTRY"));
        } else {
            // Same tag, other content: without this a rebuilt image would not roll the operator.
            String id = Shell.run("docker", "image", "inspect", "-f", "{{.Id}}", "sojourn/operator:0.1.0")
                    .trim();
            command.add("--set=podAnnotations.image-id=" + id);
        }
        command.addAll(List.of(options));
        Shell.run(command.toArray(String[]::new));
        // Until then it goes by what it was told, and gives finalizers to SessionClusters that the one after it is not
        // to look at.
        Awaitility.await("the operator before has gone")
                .atMost(seconds(120))
                .until(() ->
                        operators().stream().allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null));
    }

    private List<Pod> operators() {
        return client.pods()
                .inNamespace(SYSTEM)
                .withLabel("app.kubernetes.io/component", "operator")
                .list()
                .getItems();
    }

    /** Deletes the namespace and waits until it is gone. */
    void deleteNamespace(String name) {
        client.namespaces().withName(name).delete();
        client.namespaces().withName(name).waitUntilCondition(Objects::isNull, 3, TimeUnit.MINUTES);
    }

    /**
     * Kills a process of a pod from outside, as the kernel would: {@code kill -9} on the node.
     *
     * @param process the name in {@code /proc/<pid>/comm}, as in {@code java}
     */
    void kill(Pod pod, String process) {
        onNode(pod, "[ \"$(cat $p/comm)\" = " + process + " ] && kill -9 ${p#/proc/} && found=1", "[ -n \"$found\" ]");
    }

    /** Runs a command of the pod's node in the pod's network, as in {@code iptables -I OUTPUT -j DROP}. */
    void inNetworkOf(Pod pod, String command) {
        onNode(pod, "exec nsenter -t ${p#/proc/} -n " + command, "exit 1");
    }

    /**
     * @param each what to do with every process of the pod, {@code $p} being its folder
     * @param end what to do after that
     */
    private static void onNode(Pod pod, String each, String end) {
        String uid = pod.getMetadata().getUid();
        // The cgroup's path carries the pod's uid, with dashes or, under systemd, with underscores.
        String script = "for p in /proc/[0-9]*; do"
                + " grep -qE '" + uid + "|" + uid.replace('-', '_') + "' $p/cgroup 2>/dev/null || continue;"
                + " " + each + "; done; " + end;
        Shell.run("docker", "exec", pod.getSpec().getNodeName(), "bash", "-c", script);
    }

    @Override
    public void close() {
        client.close();
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static Path top() {
        Path here = Path.of("").toAbsolutePath();
        while (!here.resolve("charts").toFile().isDirectory()) {
            here = Objects.requireNonNull(here.getParent(), "run this inside Sojourn's source tree");
        }
        return here;
    }
}
