package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Browser;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LimitRangeBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("Pods that make injection hard start all the same")
class InjectionE2E {

    @Test
    @DisplayName("JAVA_TOOL_OPTIONS from a Secret: the user's options and the agent are both there")
    void optionsFromSecret(Shop shop, Cluster cluster) {
        cluster.client()
                .resource(new SecretBuilder()
                        .withNewMetadata()
                        .withName("options")
                        .withNamespace(shop.namespace())
                        .endMetadata()
                        .addToStringData("java", "-Dfrom.the.secret=yes")
                        .build())
                .serverSideApply();
        withPod(
                shop,
                cluster,
                "options-from-secret",
                pod -> withOptions(pod, "options", false),
                (application, sidecar) -> assertThat(application)
                        .contains("-Dfrom.the.secret=yes")
                        .contains("-javaagent:/sojourn/agent/sojourn-agent.jar")
                        .contains("sojourn: "));
    }

    @Test
    @DisplayName("JAVA_TOOL_OPTIONS from a Secret that may be absent, and is: the agent is there")
    void optionsThatAreAbsent(Shop shop, Cluster cluster) {
        withPod(
                shop,
                cluster,
                "options-absent",
                pod -> withOptions(pod, "absent", true),
                (application, sidecar) -> assertThat(application)
                        .contains("-javaagent:/sojourn/agent/sojourn-agent.jar")
                        .contains("sojourn: ")
                        .doesNotContain("SOJOURN_USER_"));
    }

    private static Pod withOptions(Pod pod, String secret, boolean optional) {
        EnvVar options = new EnvVarBuilder()
                .withName("JAVA_TOOL_OPTIONS")
                .withNewValueFrom()
                .withNewSecretKeyRef("java", secret, optional)
                .endValueFrom()
                .build();
        return new PodBuilder(pod)
                .editSpec()
                .editFirstContainer()
                .withEnv(options)
                .endContainer()
                .endSpec()
                .build();
    }

    @Test
    @DisplayName("a root file system that nobody may write")
    void readOnlyRoot(Shop shop, Cluster cluster) {
        withPod(
                shop,
                cluster,
                "read-only-root",
                pod -> {
                    var spec = new PodBuilder(pod).editSpec();
                    spec.editFirstContainer()
                            .editOrNewSecurityContext()
                            .withReadOnlyRootFilesystem(true)
                            .endSecurityContext()
                            .endContainer();
                    // What a stock Tomcat itself must be able to write.
                    for (String folder : List.of("work", "temp", "logs")) {
                        spec.addNewVolume()
                                .withName(folder)
                                .withNewEmptyDir()
                                .endEmptyDir()
                                .endVolume();
                        spec.editFirstContainer()
                                .addNewVolumeMount()
                                .withName(folder)
                                .withMountPath("/opt/tomcat/" + folder)
                                .endVolumeMount()
                                .endContainer();
                    }
                    return spec.endSpec().build();
                },
                (application, sidecar) -> assertThat(application).contains("sojourn: sessions are kept by Sojourn"));
    }

    @Test
    @DisplayName("no Java in the container: it runs as it always did, and the sidecar and the condition say so")
    void noJava(Shop shop, Cluster cluster) {
        withPod(
                shop,
                cluster,
                "no-java",
                pod -> new PodBuilder(pod)
                        .editSpec()
                        .editFirstContainer()
                        .withImage("valkey/valkey:8.1")
                        .withCommand("valkey-server", "--port", "8080", "--dir", "/tmp")
                        .withReadinessProbe(null)
                        .endContainer()
                        .endSpec()
                        .build(),
                (application, sidecar) -> {
                    assertThat(application).contains("Ready to accept connections");
                    assertThat(sidecar).contains("no application has connected yet");
                    assertThat(shop.condition("InjectionReady"))
                            .contains("AgentNotLoaded")
                            .contains("no-java");
                });
    }

    @Test
    @DisplayName("a sidecar is told by an annotation how much it may do by itself, while it runs")
    void limitsWhileItRuns(Shop shop, Cluster cluster) {
        var pods = cluster.client().pods().inNamespace(shop.namespace());
        Pod any = pods.withLabel("sojourn.dev/cluster", Shop.NAME)
                .list()
                .getItems()
                .get(0);
        var pod = pods.withName(any.getMetadata().getName());
        pod.edit(running -> new PodBuilder(running)
                .editMetadata()
                .addToAnnotations("sojourn.dev/limits", "background_rate = 20")
                .endMetadata()
                .build());
        await("the sidecar has heard")
                .atMost(Cluster.seconds(120))
                .untilAsserted(
                        () -> assertThat(pod.inContainer("sojourn").getLog()).contains("background_rate: 20,"));
    }

    @Test
    @DisplayName("a namespace that enforces Pod Security restricted, with a quota, and with limits for each container")
    void restricted(Cluster cluster) throws Exception {
        try (var mine = new Shop(cluster, "e2e-restricted")) {
            create(
                    cluster,
                    new NamespaceBuilder()
                            .withNewMetadata()
                            .withName(mine.namespace())
                            .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                            .endMetadata()
                            .build(),
                    new ResourceQuotaBuilder()
                            .withMetadata(named("quota", mine))
                            .withNewSpec()
                            .withHard(Map.of(
                                    "pods", new Quantity("12"),
                                    "requests.cpu", new Quantity("4"),
                                    "requests.memory", new Quantity("6Gi"),
                                    "limits.memory", new Quantity("6Gi")))
                            .endSpec()
                            .build(),
                    new LimitRangeBuilder()
                            .withMetadata(named("limits", mine))
                            .withNewSpec()
                            .addNewLimit()
                            .withType("Container")
                            .addToMin("memory", new Quantity("16Mi"))
                            .addToMax("memory", new Quantity("1Gi"))
                            .addToMax("cpu", new Quantity("2"))
                            .addToDefault("cpu", new Quantity("2"))
                            .addToDefaultRequest("cpu", new Quantity("10m"))
                            .endLimit()
                            .endSpec()
                            .build());
            mine.deployApplication();
            mine.makeSessionAware();

            var browser = new Browser(HttpClient.newHttpClient(), mine.address(), "restricted");
            browser.login();
            browser.click();
            mine.restart();
            mine.awaitRolledOut();
            assertThat(browser.click().clicks()).isEqualTo(2);
        }
    }

    private static void create(Cluster cluster, HasMetadata... resources) {
        for (HasMetadata resource : resources) {
            cluster.client().resource(resource).create();
        }
    }

    private static ObjectMeta named(String name, Shop shop) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(shop.namespace())
                .build();
    }

    /** Starts one more pod beside the shop's, made from one of them, and looks at its log once it is ready. */
    private static void withPod(
            Shop shop, Cluster cluster, String name, UnaryOperator<Pod> change, BiConsumer<String, String> check) {
        var pods = cluster.client().pods().inNamespace(shop.namespace()).withName(name);
        cluster.client().resource(change.apply(shop.another(name))).create();
        try {
            await(name + " is ready")
                    .atMost(Cluster.seconds(120))
                    .until(() -> pods.get() != null && Readiness.isPodReady(pods.get()));
            assertThat(pods.get().getSpec().getInitContainers())
                    .extracting("name")
                    .isEqualTo(List.of("sojourn"));
            await(name + " says so")
                    .atMost(Cluster.seconds(260))
                    .untilAsserted(() -> check.accept(
                            pods.inContainer("tomcat").getLog(),
                            pods.inContainer("sojourn").getLog()));
        } finally {
            pods.withGracePeriod(0).delete();
            await(name + " is gone").atMost(Cluster.seconds(60)).until(() -> pods.get() == null);
        }
    }
}
