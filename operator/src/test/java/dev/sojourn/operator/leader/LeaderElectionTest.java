package dev.sojourn.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.inject.WebhookServer;
import dev.sojourn.operator.owner.ApiServer;
import dev.sojourn.operator.owner.OwnDeployment;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.quarkiverse.operatorsdk.runtime.AppEventListener;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.inject.spi.ObserverMethod;
import jakarta.inject.Provider;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {

    private static final String LEASE = "/apis/coordination.k8s.io/v1/namespaces/system/leases/sojourn-operator";

    private static final String CONFIG_MAPS = """
            {"apiVersion": "v1", "kind": "ConfigMapList", "metadata": {"resourceVersion": "1"}, "items": [
             {"apiVersion": "v1", "kind": "ConfigMap",
              "metadata": {"name": "one", "namespace": "shop", "uid": "1", "resourceVersion": "1"}}]}""";

    private static final String MAY_LEAD = """
            {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview", "spec": {},
             "status": {"incomplete": false, "nonResourceRules": [], "resourceRules": [
              {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]}]}}""";

    private static final Provider<Operator> FRAMEWORK_IS_NOT_ASKED = () -> {
        throw new IllegalStateException();
    };

    private static final OperatorConfig CONFIG =
            InPod.with(Map.of("POD_NAMESPACE", "system", "HOSTNAME", "sojourn-7d9f"));

    /** It would within the process's end, which waits for what it exits from. */
    @Test
    void theFrameworkDoesNotExitByItself() throws IOException {
        try (var api = new ApiServer(200, Map.of())) {
            assertThat(election(api, FRAMEWORK_IS_NOT_ASKED).isExitOnStopLeading())
                    .isFalse();
        }
    }

    @Test
    void whoLosesTheLeaseReconcilesNoMore() throws Exception {
        var objects = heldByUs();
        try (var api = new ApiServer(200, objects)) {
            var reconciler = whoReconciles(api, api.client(), new AtomicReference<>());

            objects.putAll(heldBy("sojourn-another"));
            assertThat(reconciler.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** For longer than anybody waits: it is over before the renewal is. */
    @Test
    void whoseRenewalHangsReconcilesNoMore() throws Exception {
        var refusals = new AtomicInteger(-1);
        var renewed = new CountDownLatch(3);
        var over = new CountDownLatch(1);
        try (var api = new ApiServer(name -> refusedThenHanging(name, renewed, refusals, over), heldByUs())) {
            var operator = new AtomicReference<Operator>();
            var deadline = new RenewDeadline(CONFIG, new Framework(operator::get), RenewDeadline.AFTER.dividedBy(2));
            try (var client = Client.seenBy(deadline, patient(api))) {
                var reconciler = whoReconciles(api, client, operator);
                // Two calls make one renewal: with the third it has been answered.
                assertThat(renewed.await(30, TimeUnit.SECONDS)).isTrue();

                refusals.set(1);
                assertThat(reconciler.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
            } finally {
                over.countDown();
            }
        }
    }

    /** @param refusals of the lease before the first request for it that is not answered; below 0 all are answered */
    private static int refusedThenHanging(
            String name, CountDownLatch renewed, AtomicInteger refusals, CountDownLatch over) {
        if (!name.equals("sojourn-operator")) {
            return 200;
        }
        renewed.countDown();
        if (refusals.get() < 0) {
            return 200;
        }
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            return 403;
        }
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 500;
    }

    private static KubernetesClientBuilder patient(ApiServer api) {
        return api.builder()
                .editOrNewConfig()
                .withRequestTimeout((int) TimeUnit.HOURS.toMillis(1))
                .endConfig();
    }

    /** A lease of 15 s that is held for its last seconds by two clocks that differ, and by what was under way. */
    @Test
    void theLossIsKnownLongBeforeTheLeaseExpires() throws IOException {
        try (var api = new ApiServer(200, Map.of())) {
            assertThat(election(api, FRAMEWORK_IS_NOT_ASKED).getLeaseDuration().minus(RenewDeadline.AFTER))
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(5));
        }
    }

    private static Endless whoReconciles(ApiServer api, KubernetesClient client, AtomicReference<Operator> made)
            throws InterruptedException {
        var operator = new Operator(framework -> framework
                .withKubernetesClient(client)
                .withCloseClientOnStop(false)
                // Of a watch this API server knows nothing; the framework's own handler exits.
                .withInformerStoppedHandler((informer, error) -> {})
                .withLeaderElectionConfiguration(election(api, made::get)));
        made.set(operator);
        var reconciler = new Endless();
        operator.register(reconciler);
        operator.start();
        assertThat(reconciler.begun.await(30, TimeUnit.SECONDS)).isTrue();
        return reconciler;
    }

    /** Who goes on until it is stopped. */
    private static final class Endless implements Reconciler<ConfigMap> {

        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch interrupted = new CountDownLatch(1);

        @Override
        public UpdateControl<ConfigMap> reconcile(ConfigMap primary, Context<ConfigMap> context) {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
            return UpdateControl.noUpdate();
        }
    }

    @Test
    void whoHoldsTheLeaseReleasesIt() throws IOException {
        try (var api = new ApiServer(200, heldBy(LeaderElection.identity(CONFIG)))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE, "PUT " + LEASE);
            assertThat(api.asked.get(1).body()).contains("\"holderIdentity\":\"\"", "\"resourceVersion\":\"7\"");
        }
    }

    @Test
    void theLeaseOfAnotherOneIsLeftAlone() throws IOException {
        try (var api = new ApiServer(200, heldBy("sojourn-another"))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE);
        }
    }

    /** It is as any other's: only who has renewed it leads. */
    @Test
    void theLeaseOfThisPodsContainerOfBeforeIsLeftAlone() throws IOException {
        try (var api = new ApiServer(200, heldBy("sojourn-7d9f"))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE);
        }
    }

    @Test
    void aLeaseThatSaysNothingIsLeftAlone() throws IOException {
        try (var api = new ApiServer(200, lease(""))) {
            release(api);
            assertThat(api.asked).extracting(ApiServer.Asked::what).containsExactly("GET " + LEASE);
        }
    }

    @Test
    void anApiServerThatFailsHoldsUpNothing() throws IOException {
        try (var api = new ApiServer(500, Map.of())) {
            release(api);
            assertThat(api.asked).hasSize(1);
        }
    }

    /** The answers of the webhook need what ends after it, and nobody else may lead while the framework reconciles. */
    @Test
    void theWebhookEndsBeforeTheFrameworkAndTheLeaseAfterIt() {
        int framework = priority(AppEventListener.class);
        assertThat(priority(Framework.class)).isLessThan(framework);
        assertThat(priority(WebhookServer.class)).isLessThan(priority(Framework.class));
        assertThat(priority(LeaderElection.class)).isGreaterThan(framework);
    }

    private static int priority(Class<?> observer) {
        return Arrays.stream(observer.getDeclaredMethods())
                .flatMap(method -> Arrays.stream(method.getParameters()))
                .filter(parameter -> parameter.getType() == ShutdownEvent.class)
                .map(parameter -> Optional.ofNullable(parameter.getAnnotation(Priority.class))
                        .map(Priority::value)
                        .orElse(ObserverMethod.DEFAULT_PRIORITY))
                .findFirst()
                .orElseThrow();
    }

    private static void release(ApiServer api) {
        new LeaderElection().release(new ShutdownEvent(), CONFIG, api.client());
    }

    private static LeaderElectionConfiguration election(ApiServer api, Provider<Operator> operator) {
        var own = new OwnDeployment(api.client(), CONFIG);
        return new LeaderElection().lease(CONFIG, api.client(), own, new Framework(operator));
    }

    private static Map<String, String> heldByUs() {
        var objects = new ConcurrentHashMap<>(heldBy(LeaderElection.identity(CONFIG)));
        objects.put("configmaps", CONFIG_MAPS);
        objects.put("selfsubjectrulesreviews", MAY_LEAD);
        return objects;
    }

    /** Long enough for nobody to find it expired. */
    private static Map<String, String> heldBy(String holder) {
        return lease("""
                , "spec": {"holderIdentity": "%s", "leaseDurationSeconds": 15,
                 "acquireTime": "2026-01-01T00:00:00.000000Z", "renewTime": "2999-01-01T00:00:00.000000Z"}""".formatted(holder));
    }

    private static Map<String, String> lease(String spec) {
        return Map.of("sojourn-operator", """
                {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                 "metadata": {"name": "sojourn-operator", "namespace": "system", "resourceVersion": "7"}%s}""".formatted(spec));
    }
}
