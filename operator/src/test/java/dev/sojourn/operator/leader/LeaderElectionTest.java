package dev.sojourn.operator.leader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.config.OperatorConfig;
import dev.sojourn.operator.inject.WebhookServer;
import dev.sojourn.operator.owner.ApiServer;
import dev.sojourn.operator.owner.OwnDeployment;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.utils.ExponentialBackoffIntervalCalculator;
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
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
        var objects = new ConcurrentHashMap<>(heldBy("sojourn-7d9f"));
        objects.put("configmaps", CONFIG_MAPS);
        objects.put("selfsubjectrulesreviews", MAY_LEAD);
        try (var api = new ApiServer(200, objects)) {
            var made = new AtomicReference<Operator>();
            var operator = new Operator(framework -> framework
                    .withKubernetesClient(api.client())
                    .withCloseClientOnStop(false)
                    // Of a watch this API server knows nothing; the framework's own handler exits.
                    .withInformerStoppedHandler((informer, error) -> {})
                    .withLeaderElectionConfiguration(election(api, made::get)));
            made.set(operator);
            var reconciler = new Endless();
            operator.register(reconciler);
            operator.start();
            assertThat(reconciler.begun.await(30, TimeUnit.SECONDS)).isTrue();

            objects.putAll(heldBy("sojourn-another"));
            assertThat(reconciler.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** Also with a renewal that begins just before the deadline, and is tried again as often as the client does. */
    @Test
    void whoCannotRenewTheLeaseKnowsBeforeItExpires() throws IOException {
        var properties = new Properties();
        try (var file = LeaderElectionTest.class.getResourceAsStream("/application.properties")) {
            properties.load(file);
        }
        var limit = properties.getProperty("quarkus.kubernetes-client.request-retry-backoff-limit");
        var pauses = new ExponentialBackoffIntervalCalculator(
                Config.DEFAULT_REQUEST_RETRY_BACKOFFINTERVAL,
                limit == null ? Config.DEFAULT_REQUEST_RETRY_BACKOFFLIMIT : Integer.parseInt(limit));
        try (var api = new ApiServer(200, Map.of())) {
            var election = election(api, FRAMEWORK_IS_NOT_ASKED);
            var known = election.getRenewDeadline();
            while (pauses.shouldRetry()) {
                known = known.plusMillis(pauses.nextReconnectInterval());
            }
            assertThat(known).isLessThan(election.getLeaseDuration());
        }
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
        try (var api = new ApiServer(200, heldBy("sojourn-7d9f"))) {
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
