package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@DisplayName("A StatefulSet whose pods have more in them: a mesh's proxy, a second JVM")
class WorkloadE2E {
    private static final int USERS = 20;
    private static final int REPLICAS = 2;
    private static final String SIDECAR = "sojourn";
    /** The first process of a container hears no signal that it did not ask for. */
    private static final String UNTIL_TERMINATED = "trap exit TERM; sleep infinity & wait";

    private static Shop shop;
    private static Cluster cluster;

    @BeforeAll
    static void deploy(Shop example, Cluster world) {
        cluster = world;
        shop = new Shop(world, "e2e-stateful");
        shop.createNamespace();
        var template = withCompany(example.deployment().get().getSpec().getTemplate());
        cluster.client()
                .resource(new StatefulSetBuilder()
                        .withNewMetadata()
                        .withName(Shop.NAME)
                        .withNamespace(shop.namespace())
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(REPLICAS)
                        .withNewSelector()
                        .addToMatchLabels("app", Shop.NAME)
                        .endSelector()
                        .withTemplate(template)
                        .endSpec()
                        .build())
                .create();
        awaitRolledOut();
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "workload").put("kind", "StatefulSet");
            return spec;
        });
        shop.awaitSaysReady();
        awaitRolledOut();
    }

    @AfterAll
    static void takeAway() {
        shop.close();
    }

    @Test
    @DisplayName("pods that come back under their names: a rolling restart logs nobody out")
    void rollingRestart() throws Exception {
        try (var departures = new Departures(cluster, shop.namespace(), "app", Shop.NAME);
                var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            Shell.run("kubectl", "-n", shop.namespace(), "rollout", "restart", "statefulset/" + Shop.NAME);
            awaitRolledOut();
            load.awaitClicks();
            Verdict.nobodyNoticed("StatefulSet", load.stop());
            // A pod comes back under its name: which of the two a request reached nobody knows.
            Figures.print(departures, Map.of());
        }
    }

    @Test
    @DisplayName("the sidecar starts after the mesh's proxy, and only the application's JVM has the agent")
    void company() {
        for (Pod pod : shop.pods()) {
            PodSpec spec = pod.getSpec();
            assertThat(spec.getInitContainers()).extracting(Container::getName).containsExactly("istio-proxy", SIDECAR);
            assertThat(optionsOf(spec, "tomcat")).hasSize(1).first().asString().contains("-javaagent:");
            assertThat(optionsOf(spec, "second")).isEmpty();
        }
    }

    @Test
    @DisplayName("a Job whose template was copied, label and all, ends")
    void job() {
        String image = shop.pods().get(0).getSpec().getContainers().get(0).getImage();
        PodTemplateSpec template = new PodTemplateSpecBuilder()
                .withNewMetadata()
                .addToLabels("sojourn.dev/cluster", Shop.NAME)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .addToContainers(second(image, "true"))
                .endSpec()
                .build();
        var job = cluster.client()
                .resource(new JobBuilder()
                        .withNewMetadata()
                        .withName("copied")
                        .withNamespace(shop.namespace())
                        .endMetadata()
                        .withNewSpec()
                        .withTemplate(template)
                        .endSpec()
                        .build());
        job.create();

        await("the Job has ended")
                .atMost(Cluster.seconds(60))
                .until(() -> Integer.valueOf(1).equals(job.get().getStatus().getSucceeded()));
        assertThat(cluster.client()
                        .pods()
                        .inNamespace(shop.namespace())
                        .withLabel("job-name", "copied")
                        .list()
                        .getItems())
                .hasSize(1)
                .allSatisfy(pod -> assertThat(pod.getSpec().getInitContainers()).isEmpty());
    }

    /** What a mesh's webhook would have put there before ours was asked, and a JVM that serves nobody. */
    private static PodTemplateSpec withCompany(PodTemplateSpec shops) {
        String image = shops.getSpec().getContainers().get(0).getImage();
        return new PodTemplateSpecBuilder(shops)
                .withNewMetadata()
                .addToLabels("app", Shop.NAME)
                .endMetadata()
                .editSpec()
                .addToInitContainers(new ContainerBuilder(second(image, UNTIL_TERMINATED))
                        .withName("istio-proxy")
                        .withRestartPolicy("Always")
                        .build())
                .addToContainers(second(image, "java -version; " + UNTIL_TERMINATED))
                .endSpec()
                .build();
    }

    private static Container second(String image, String script) {
        return new ContainerBuilder()
                .withName("second")
                .withImage(image)
                .withImagePullPolicy("IfNotPresent")
                .withCommand("sh", "-c", script)
                .build();
    }

    private static List<String> optionsOf(PodSpec pod, String container) {
        return pod.getContainers().stream()
                .filter(candidate -> candidate.getName().equals(container))
                .flatMap(candidate -> candidate.getEnv().stream())
                .filter(variable -> variable.getName().equals("JAVA_TOOL_OPTIONS"))
                .map(EnvVar::getValue)
                .toList();
    }

    private static void awaitRolledOut() {
        Shell.run("kubectl", "-n", shop.namespace(), "rollout", "status", "statefulset/" + Shop.NAME, "--timeout=240s");
    }
}
