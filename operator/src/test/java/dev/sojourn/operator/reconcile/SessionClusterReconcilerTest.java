package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.owner.ApiServer;
import dev.sojourn.operator.proxy.ProxyDeployment;
import dev.sojourn.operator.proxy.ProxyIngress;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreSecret;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.dependent.ReconcileResult;
import io.javaoperatorsdk.operator.api.reconciler.dependent.managed.ManagedWorkflowAndDependentResourceContext;
import io.javaoperatorsdk.operator.processing.dependent.workflow.WorkflowBuilder;
import io.javaoperatorsdk.operator.processing.dependent.workflow.WorkflowReconcileResult;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said, and what is done all the same, where something is refused. */
class SessionClusterReconcilerTest {

    private static final String TEMPLATE = "PATCH /apis/apps/v1/namespaces/shop/deployments/web";

    private final Seen seen = new Seen();

    /** The framework's own. */
    private final WorkflowBuilder<SessionCluster> workflow = new WorkflowBuilder<>();

    private final Map<Object, Object> told = new HashMap<>();

    private final ExecutorService executor = Executors.newCachedThreadPool();

    private int answer = 200;
    private ApiServer api;
    private SessionClusterReconciler reconciler;

    @BeforeEach
    void start() throws IOException {
        api = new ApiServer(name -> name.equals("web") ? answer : 200, Map.of());
        reconciler = seen.reconciler(api.client());
        spec("{workload: {name: web}, port: 8080, proxy: {expose: {ingress: {host: shop.example}}}}");
        seen.cluster.getMetadata().setGeneration(3L);
        seen.accepted = Optional.of(InjectionSettings.of(seen.cluster));
        seen.cluster.setStatus(new StatusAggregator(seen.cluster, Instant.EPOCH)
                .build(seen.inspection().findings(), Optional.empty()));
    }

    @AfterEach
    void stop() {
        api.close();
        executor.shutdown();
    }

    @Test
    void whatIsRefusedHidesNothingElse() {
        refuseTheIngress("host is taken");
        seen.store = Optional.of(new StatefulSetBuilder().build());
        var status = failed();
        assertThat(condition(status, "Ready")).isEqualTo("False ReconcileFailed Ingress web-proxy: host is taken");
        assertThat(condition(status, "StoreReady")).startsWith("False StoreStarting");
        assertThat(condition(status, "ProxyReady")).startsWith("False ProxyStarting");
        assertThat(api.asked).anySatisfy(event -> {
            assertThat(event.what()).contains("/events/");
            assertThat(event.body()).contains("StoreStarting");
        });
    }

    @Test
    void allThatIsRefusedIsSaidInOneOrder() {
        refuseTheSecret("may not be read");
        refuseTheIngress("host\nis taken");
        refuseTheDeployment("exceeded quota");
        assertThat(condition(failed(), "Ready"))
                .endsWith("Deployment web-proxy: exceeded quota; Ingress web-proxy: host is taken;"
                        + " Secret web-store: may not be read");
    }

    @Test
    void thePodsGetTheirSidecarsThoughTheProxyIsRefused() {
        isNew();
        refuseTheDeployment("exceeded quota");
        var status = failed();
        assertThat(api.asked).extracting(ApiServer.Asked::what).contains(TEMPLATE);
        assertThat(status.injection())
                .as("what pods are given now, and others must know")
                .isEqualTo(InjectionSettings.of(seen.cluster));
    }

    /** They would wait for its Secret. */
    @Test
    void thePodsAreNotTouchedWhereTheStoreIsRefused() {
        isNew();
        refuseTheSecret("exceeded quota");
        var status = failed();
        assertThat(api.asked).extracting(ApiServer.Asked::what).doesNotContain(TEMPLATE);
        assertThat(status.injection()).isNull();
        assertThat(condition(status, "InjectionReady"))
                .startsWith("False Waiting")
                .endsWith("Secret web-store: exceeded quota");
    }

    @Test
    void whatGoesIsWaitedForByNobody() {
        isNew();
        spec("{workload: {name: web}, port: 8080, store: {external: {url: 'redis://theirs:6379'}}}");
        seen.external = Optional.of(new StoreProbe.Result(StoreProbe.Outcome.StoreAnswers, "", 0));
        refuseTheSecret("may not be deleted");
        failed();
        assertThat(api.asked).extracting(ApiServer.Asked::what).contains(TEMPLATE);
    }

    @Test
    void aTemplateThatMayNotBeChangedIsNamedAndPodsAreGivenWhatTheyWereGivenBefore() {
        isNew();
        answer = 403;
        var status = failed();
        assertThat(condition(status, "Ready")).startsWith("False ReconcileFailed Deployment web: ");
        assertThat(status.injection()).isNull();
    }

    @Test
    void whatASecondAttemptMendsIsNobodysBusiness() {
        refuseTheIngress("host is taken");
        assertThat(updateErrorStatus(1)).isEmpty();
    }

    private void isNew() {
        seen.cluster.setStatus(null);
        seen.accepted = Optional.empty();
        seen.workload =
                Optional.of(Seen.workload("{spec: {containers: [{name: app, ports: [{containerPort: 8080}]}]}}"));
    }

    private void refuseTheIngress(String message) {
        workflow.addDependentResource(new ProxyIngress() {
            @Override
            public ReconcileResult<Ingress> reconcile(SessionCluster primary, Context<SessionCluster> context) {
                throw refusal(message);
            }
        });
    }

    private void refuseTheDeployment(String message) {
        workflow.addDependentResource(new ProxyDeployment() {
            @Override
            public ReconcileResult<Deployment> reconcile(SessionCluster primary, Context<SessionCluster> context) {
                throw refusal(message);
            }
        });
    }

    private void refuseTheSecret(String message) {
        workflow.addDependentResource(new StoreSecret() {
            @Override
            public ReconcileResult<Secret> reconcile(SessionCluster primary, Context<SessionCluster> context) {
                throw refusal(message);
            }
        });
    }

    private static KubernetesClientException refusal(String message) {
        var status = new StatusBuilder().withCode(403).withMessage(message).build();
        return new KubernetesClientException("Failure executing: PATCH at: https://10.0.0.1/", 403, status);
    }

    private SessionClusterStatus failed() {
        return updateErrorStatus(2).orElseThrow();
    }

    private Optional<SessionClusterStatus> updateErrorStatus(int attempts) {
        var error = catchThrowableOfType(
                RuntimeException.class, () -> reconciler.reconcile(seen.cluster, context(attempts)));
        // As the framework's metrics do.
        return reconciler
                .updateErrorStatus(seen.cluster, context(attempts), new OperatorException(error))
                .getResource()
                .map(SessionCluster::getStatus);
    }

    private static String condition(SessionClusterStatus status, String type) {
        return status.conditions().stream()
                .filter(condition -> type.equals(condition.getType()))
                .map(condition -> condition.getStatus() + " " + condition.getReason() + " " + condition.getMessage())
                .findFirst()
                .orElseThrow();
    }

    private void spec(String spec) {
        seen.cluster.setSpec(Serialization.unmarshal("---\n{spec: " + spec + "}", SessionCluster.class)
                .getSpec());
    }

    @SuppressWarnings("unchecked")
    private Context<SessionCluster> context(int attempts) {
        var retry = fake(
                RetryInfo.class,
                (self, method, arguments) -> method.getName().equals("getAttemptCount") ? attempts : false);
        return fake(Context.class, (self, method, arguments) -> switch (method.getName()) {
            case "managedWorkflowAndDependentResourceContext" -> workflow((Context<SessionCluster>) self);
            case "getWorkflowExecutorService" -> executor;
            case "getRetryInfo" -> Optional.of(retry);
            default -> throw new AssertionError(method.getName());
        });
    }

    private ManagedWorkflowAndDependentResourceContext workflow(Context<SessionCluster> context) {
        return fake(
                ManagedWorkflowAndDependentResourceContext.class,
                (self, method, arguments) -> switch (method.getName()) {
                    case "put" -> told.put(arguments[0], arguments[1]);
                    case "reconcileManagedWorkflow" -> workflow.build().reconcile(seen.cluster, context);
                    case "getWorkflowReconcileResult" ->
                        told.values().stream()
                                .filter(WorkflowReconcileResult.class::isInstance)
                                .findFirst();
                    default -> throw new AssertionError(method.getName());
                });
    }

    private static <T> T fake(Class<T> type, InvocationHandler answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, answers));
    }
}
