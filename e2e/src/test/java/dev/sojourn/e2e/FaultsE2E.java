package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Load;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.RollableScalableResource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName(
        "Store, operator or API server go while 20 users click on three nodes: nobody is logged out, nothing confirmed is lost")
class FaultsE2E extends Faulty {

    @Test
    @DisplayName("the store is emptied: sidecars put everything back")
    void storeWiped() throws Exception {
        under("store wiped", true, load -> new StorePods(cluster, shop).wipe(primary()));
    }

    @Test
    @DisplayName(
            "all pods of the store are lost at once: users who come back to their pod notice nothing, however long it takes")
    void storePodsLost() throws Exception {
        stickiness("Cookie");
        try {
            under("store's pods lost", true, load -> {
                var before = pods("store").stream().map(FaultsE2E::uid).toList();
                pods("store")
                        .forEach(pod -> cluster.client()
                                .pods()
                                .resource(pod)
                                .withGracePeriod(0)
                                .delete());
                await("every pod of the store is another one, and ready")
                        .atMost(Cluster.seconds(180))
                        .until(() -> {
                            var pods = pods("store");
                            return pods.size() == before.size()
                                    && pods.stream().allMatch(Readiness::isPodReady)
                                    && pods.stream().map(FaultsE2E::uid).noneMatch(before::contains);
                        });
                awaitStore();
            });
        } finally {
            stickiness("None");
        }
    }

    private void stickiness(String stickiness) {
        shop.applySessionCluster(spec -> {
            replicated(spec);
            Shop.child(spec, "proxy").put("stickiness", stickiness);
            return spec;
        });
        shop.awaitProxyRolledOut();
    }

    @Test
    @DisplayName(
            "no operator is there while every pod is replaced, an Envoy goes, and what was made is disowned: users do not wait")
    void operatorAbsent() throws Exception {
        under("operator absent during a roll-out", true, load -> {
            withoutOperators(() -> {
                shop.restart();
                cluster.client()
                        .pods()
                        .inNamespace(shop.namespace())
                        .resource(pods("proxy").get(0))
                        .delete();
                disown();
                load.awaitClicks();
            });
            shop.awaitRolledOut();
        });
        await("all that was made has its owner again")
                .atMost(Cluster.seconds(120))
                .untilAsserted(() -> assertThat(disowned()).isEmpty());
        shop.awaitReady();
    }

    /** As a backup restores it. */
    private void disown() {
        made("name")
                .lines()
                .forEach(object -> Shell.run(
                        "kubectl",
                        "-n",
                        shop.namespace(),
                        "patch",
                        object,
                        "--type=merge",
                        "--patch={\"metadata\": {\"ownerReferences\": null}}"));
        assertThat(disowned()).hasSameSizeAs(made("name").lines().toList());
    }

    /** Those of the objects that the operator made which have no owner: kind, version, name. */
    private List<String> disowned() {
        return made("go-template={{range .items}}{{if not .metadata.ownerReferences}}"
                        + "{{.kind}} {{.apiVersion}} {{.metadata.name}}{{\"\\n\"}}{{end}}{{end}}")
                .lines()
                .toList();
    }

    private String made(String output) {
        return Shell.run(
                "kubectl",
                "-n",
                shop.namespace(),
                "get",
                "deployments,statefulsets,services,secrets,configmaps,serviceaccounts,roles,rolebindings,"
                        + "networkpolicies,poddisruptionbudgets",
                "-l",
                "sojourn.dev/owned-by=" + Shop.NAME,
                "-o",
                output);
    }

    @Test
    @DisplayName(
            "both operators and an Envoy are killed while every pod is replaced, and so is the webhook's certificate")
    void operatorsKilled() throws Exception {
        under("operators killed and certificate replaced during a roll-out", true, load -> {
            shop.restart();
            var client = cluster.client();
            client.secrets()
                    .inNamespace(Cluster.SYSTEM)
                    .withName("sojourn-webhook-cert")
                    .delete();
            operators()
                    .forEach(pod ->
                            client.pods().resource(pod).withGracePeriod(0).delete());
            client.pods().resource(pods("proxy").get(0)).delete();
            shop.awaitRolledOut();
        });
        assertThat(shop.condition("InjectionReady")).startsWith("True");
    }

    @Test
    @DisplayName("a pod that started while no operator was there to give it its sidecar is replaced by one that has it")
    void webhookAway() {
        cluster.install(Cluster.CHART, "--set=webhook.failurePolicy=Ignore");
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "injection").put("watchdog", "Evict");
            return replicated(spec);
        });
        shop.awaitReady();
        try {
            withoutOperators(() -> {
                cluster.client().pods().resource(shop.pods().get(0)).delete();
                await("a pod without its sidecar")
                        .atMost(Cluster.seconds(120))
                        .until(() -> shop.pods().stream().anyMatch(pod -> !Shop.isInjected(pod)));
                shop.awaitRolledOut();
            });
            await("every pod has its sidecar")
                    .atMost(Cluster.seconds(240))
                    .until(() -> shop.pods().stream().allMatch(Shop::isInjected));
            shop.awaitRolledOut();
        } finally {
            cluster.install();
            shop.applySessionCluster(Faulty::replicated);
            shop.awaitReady();
        }
    }

    @Test
    @DisplayName("a pod, and no other, is cut off from the store: Envoy leaves it out, and the SessionCluster names it")
    void podWithoutStore() throws Exception {
        var pod = shop.pods().get(0);
        String rule = " OUTPUT -p tcp -m multiport --dports 6379,26379 -j DROP";
        cluster.inNetworkOf(pod, "iptables -w -I" + rule);
        try {
            shop.awaitStoreSays("False/StoreNotReached", pod.getMetadata().getName());
            under("a pod without the store", true, Load::awaitClicks);
        } finally {
            cluster.inNetworkOf(pod, "iptables -w -D" + rule);
        }
        shop.awaitStoreSays("True/StoreRuns", "");
    }

    @Test
    @DisplayName("the API server is away for a minute")
    void apiServerAway() throws Exception {
        under("API server away", true, load -> {
            CONTROL_PLANE.takeAway("kube-apiserver.yaml");
            try {
                await("no API server").atMost(Cluster.seconds(60)).until(() -> !apiServerAnswers());
                var gone = Instant.now();
                await("a minute of traffic without it")
                        .atMost(Cluster.seconds(120))
                        .until(() -> {
                            load.awaitClicks();
                            return Duration.between(gone, Instant.now()).compareTo(Duration.ofSeconds(60)) > 0;
                        });
            } finally {
                CONTROL_PLANE.putBack("kube-apiserver.yaml");
            }
            await("the API server").atMost(Cluster.seconds(120)).until(this::apiServerAnswers);
            var back = Instant.now();
            await("scheduler, controllers and kubelets are back at work")
                    .atMost(Cluster.seconds(180))
                    .until(() -> leases().allMatch(lease -> renewedSince(lease, back)));
        });
    }

    private RollableScalableResource<Deployment> operator() {
        return cluster.client().apps().deployments().inNamespace(Cluster.SYSTEM).withName("sojourn");
    }

    /** They come back whatever happens: without them no other scenario starts a pod, and no namespace ends. */
    private void withoutOperators(Runnable meanwhile) {
        int replicas = operator().get().getSpec().getReplicas();
        operator().scale(0);
        try {
            await("no operator")
                    .atMost(Cluster.seconds(60))
                    .until(() -> operators().isEmpty());
            meanwhile.run();
        } finally {
            operator().scale(replicas);
        }
    }

    private List<Pod> operators() {
        return cluster.client()
                .pods()
                .inNamespace(Cluster.SYSTEM)
                .withLabel("app.kubernetes.io/name", "sojourn")
                .list()
                .getItems();
    }

    private static String uid(Pod pod) {
        return pod.getMetadata().getUid();
    }

    /** What says that it is alive: without them pods are neither placed nor started nor stopped. */
    private Stream<Lease> leases() {
        var all = cluster.client().leases();
        return Stream.concat(
                all.inNamespace("kube-node-lease").list().getItems().stream(),
                Stream.of("kube-scheduler", "kube-controller-manager")
                        .map(name ->
                                all.inNamespace("kube-system").withName(name).get()));
    }

    private static boolean renewedSince(Lease lease, Instant then) {
        return lease.getSpec().getRenewTime().toInstant().isAfter(then);
    }

    private boolean apiServerAnswers() {
        try {
            cluster.client().namespaces().withName("default").get();
            return true;
        } catch (KubernetesClientException e) {
            return false;
        }
    }
}
