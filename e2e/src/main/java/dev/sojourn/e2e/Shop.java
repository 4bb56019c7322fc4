package dev.sojourn.e2e;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** The example application with its SessionCluster, in a namespace of its own. */
public final class Shop implements AutoCloseable {
    static final String NAME = "tomcat-login";
    static final ResourceDefinitionContext SESSION_CLUSTER = new ResourceDefinitionContext.Builder()
            .withGroup("sojourn.dev")
            .withVersion("v1alpha1")
            .withKind("SessionCluster")
            .withPlural("sessionclusters")
            .withNamespaced(true)
            .build();
    private static final Path MANIFESTS = Cluster.TOP.resolve("examples/tomcat-login/k8s");

    private final Cluster cluster;
    private final String namespace;
    private final int nodePort;
    private PortForward forward = PortForward.NONE;

    /** With a node port that no other shop of this run has, until it is closed. */
    Shop(Cluster cluster, String namespace) {
        this(cluster, namespace, cluster.takeNodePort());
    }

    /** @param nodePort where the proxy's Service is reached: on our own cluster, one that {@code kind.yaml} maps to the loopback */
    Shop(Cluster cluster, String namespace, int nodePort) {
        this.cluster = cluster;
        this.namespace = namespace;
        this.nodePort = nodePort;
    }

    String namespace() {
        return namespace;
    }

    /** Applies the Deployment as it is in the examples, and waits until its pods are ready. */
    void deployApplication() {
        createNamespace();
        load("deployment.yaml").forEach(object -> {
            var deployment = (Deployment) object;
            String registry = System.getenv("REGISTRY");
            if (registry != null && !registry.isEmpty()) {
                var container = deployment
                        .getSpec()
                        .getTemplate()
                        .getSpec()
                        .getContainers()
                        .get(0);
                container.setImage(registry + "/" + container.getImage());
            }
            cluster.client().resource(deployment).inNamespace(namespace).serverSideApply();
        });
        awaitRolledOut();
    }

    void createNamespace() {
        var space = new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata();
        cluster.client().resource(space.build()).serverSideApply();
    }

    /** Applies the SessionCluster of the examples and waits until it is ready and every pod is injected. */
    void makeSessionAware() {
        applySessionCluster(spec -> spec);
        awaitReady();
    }

    /** Applies the SessionCluster of the examples with its spec changed. */
    void applySessionCluster(UnaryOperator<Map<String, Object>> change) {
        GenericKubernetesResource resource =
                (GenericKubernetesResource) load("sessioncluster.yaml").get(0);
        Map<String, Object> spec = resource.get("spec");
        Map<String, Object> service = child(child(spec, "proxy"), "service");
        service.put("nodePort", nodePort);
        resource.setAdditionalProperty("spec", change.apply(spec));
        sessionClusters(resource).forceConflicts().serverSideApply();
    }

    Resource<GenericKubernetesResource> sessionCluster() {
        return cluster.client()
                .genericKubernetesResources(SESSION_CLUSTER)
                .inNamespace(namespace)
                .withName(NAME);
    }

    private Resource<GenericKubernetesResource> sessionClusters(GenericKubernetesResource resource) {
        return cluster.client()
                .genericKubernetesResources(SESSION_CLUSTER)
                .inNamespace(namespace)
                .resource(resource);
    }

    /** The condition of that type in the words {@code True|False|Unknown/Reason: message}, or an empty text. */
    String condition(String type) {
        return conditionOf(sessionCluster().get(), type);
    }

    static String conditionOf(GenericKubernetesResource resource, String type) {
        Map<String, Object> status = resource == null ? null : resource.get("status");
        if (status == null || !(status.get("conditions") instanceof List<?> conditions)) {
            return "";
        }
        return conditions.stream()
                .map(Map.class::cast)
                .filter(condition -> type.equals(condition.get("type")))
                .map(c -> c.get("status") + "/" + c.get("reason") + ": " + c.get("message"))
                .findFirst()
                .orElse("");
    }

    /** The store's pods that are primaries, by their names; as the operator last saw it. */
    List<String> storePrimaries() {
        Map<String, Object> status = sessionCluster().get().get("status");
        if (status == null || !(status.get("storePods") instanceof List<?> pods)) {
            return List.of();
        }
        return pods.stream()
                .map(Map.class::cast)
                .filter(pod -> "Primary".equals(pod.get("role")))
                .map(pod -> String.valueOf(pod.get("name")))
                .toList();
    }

    /** Waits until the store runs with so many pods, all of them in step. */
    void awaitStore(int pods) {
        awaitStoreSays("True/StoreRuns: " + pods + " pods", "");
    }

    /**
     * Waits until the condition {@code StoreReady} begins like that.
     *
     * @param part what it says too; an empty text: anything
     */
    void awaitStoreSays(String prefix, String part) {
        await("StoreReady is " + prefix + " with \"" + part + "\"")
                .atMost(Cluster.seconds(240))
                .pollInterval(Cluster.seconds(1))
                .until(
                        () -> condition("StoreReady") + ", primaries " + storePrimaries(),
                        said -> said.startsWith(prefix) && said.contains(part));
    }

    /** Waits until the SessionCluster of the current generation says Ready, and its workload and proxy have rolled out. */
    void awaitReady() {
        awaitSaysReady();
        awaitRolledOut();
    }

    void awaitSaysReady() {
        await("SessionCluster " + namespace + "/" + NAME + " is ready")
                .atMost(Cluster.seconds(240))
                .pollInterval(Cluster.seconds(1))
                .until(() -> isCurrent() && condition("Ready").startsWith("True"));
    }

    private boolean isCurrent() {
        GenericKubernetesResource resource = sessionCluster().get();
        Map<String, Object> status = resource == null ? null : resource.get("status");
        return status != null
                && Objects.equals(
                        ((Number) Objects.requireNonNullElse(status.get("observedGeneration"), 0)).longValue(),
                        resource.getMetadata().getGeneration());
    }

    RollableScalableResource<Deployment> deployment() {
        return cluster.client().apps().deployments().inNamespace(namespace).withName(NAME);
    }

    /** Waits until every replica is of the newest template, and no older pod is left, not even an ending one. */
    void awaitRolledOut() {
        await("deployment " + namespace + "/" + NAME + " has rolled out")
                .atMost(Cluster.seconds(240))
                .pollInterval(Cluster.seconds(1))
                .until(() -> rolledOut(deployment().get()) && pods().size() == replicas());
    }

    private int replicas() {
        return deployment().get().getSpec().getReplicas();
    }

    private static boolean rolledOut(Deployment deployment) {
        var status = deployment.getStatus();
        int wanted = deployment.getSpec().getReplicas();
        return deployment.getMetadata().getGeneration().equals(status.getObservedGeneration())
                && Objects.equals(status.getUpdatedReplicas(), wanted)
                && Objects.equals(status.getReplicas(), wanted)
                && Objects.equals(status.getReadyReplicas(), wanted);
    }

    /** Waits until the operator has acted on the newest spec and Envoy runs with what came of it. */
    void awaitProxyRolledOut() {
        await("the proxy of " + namespace + "/" + NAME + " has rolled out")
                .atMost(Cluster.seconds(180))
                .pollInterval(Cluster.seconds(1))
                .until(() -> isCurrent()
                        && condition("ProxyReady").startsWith("True")
                        && rolledOut(cluster.client()
                                .apps()
                                .deployments()
                                .inNamespace(namespace)
                                .withName(NAME + "-proxy")
                                .get()));
    }

    /** The client's own way is a JSON patch, which a template without annotations refuses. */
    void restart() {
        Shell.run("kubectl", "-n", namespace, "rollout", "restart", "deployment/" + NAME);
    }

    List<Pod> pods() {
        return cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabel("app", NAME)
                .list()
                .getItems();
    }

    /** One more pod, of the label that has it injected, without the application's: it gets no traffic from a Service. */
    Pod another(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .withLabels(Map.of("sojourn.dev/cluster", NAME))
                .endMetadata()
                .withSpec(deployment().get().getSpec().getTemplate().getSpec())
                .build();
    }

    /** That pod as the API server would make it now, without having it made. */
    Pod wouldMake() {
        return cluster.client().resource(another("would-be")).dryRun(true).create();
    }

    static boolean isInjected(Pod pod) {
        return pod.getSpec().getInitContainers().stream()
                .anyMatch(container -> container.getName().equals("sojourn"));
    }

    /** Where a browser finds the application, behind Envoy. */
    URI address() {
        if (cluster.isOurs()) {
            return URI.create("http://127.0.0.1:" + nodePort);
        }
        if (forward == PortForward.NONE) {
            forward = PortForward.to(namespace, "service/" + NAME + "-proxy", 80);
        }
        return forward.address();
    }

    @Override
    public void close() {
        forward.close();
        try {
            sessionCluster().delete();
            // The operator waits for five minutes at most until the pods have gone back.
            await("SessionCluster is gone")
                    .atMost(Cluster.seconds(330))
                    .until(() -> sessionCluster().get() == null);
        } finally {
            deleteNamespace();
        }
    }

    private void deleteNamespace() {
        try {
            cluster.deleteNamespace(namespace);
        } finally {
            cluster.giveBackNodePort(nodePort);
        }
    }

    private List<HasMetadata> load(String file) {
        try (var stream = java.nio.file.Files.newInputStream(MANIFESTS.resolve(file))) {
            return cluster.client().load(stream).items();
        } catch (java.io.IOException e) {
            throw new IllegalStateException("cannot read " + MANIFESTS.resolve(file), e);
        }
    }

    /** The map under this key, made if it is not there. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> child(Map<String, Object> parent, String key) {
        return (Map<String, Object>) parent.computeIfAbsent(key, k -> new java.util.LinkedHashMap<String, Object>());
    }
}
