package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.ConditionType;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.event.Events;
import dev.sojourn.operator.metrics.SessionClusterMetrics;
import dev.sojourn.operator.proxy.GatewayApi;
import dev.sojourn.operator.proxy.ProxyConfigMap;
import dev.sojourn.operator.proxy.ProxyDeployment;
import dev.sojourn.operator.proxy.ProxyDisruptionBudget;
import dev.sojourn.operator.proxy.ProxyEnabled;
import dev.sojourn.operator.proxy.ProxyHttpRoute;
import dev.sojourn.operator.proxy.ProxyIngress;
import dev.sojourn.operator.proxy.ProxyNetworkPolicy;
import dev.sojourn.operator.proxy.ProxyRole;
import dev.sojourn.operator.proxy.ProxyRoleBinding;
import dev.sojourn.operator.proxy.ProxyService;
import dev.sojourn.operator.proxy.ProxyServiceAccount;
import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Findings;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.status.Transitions;
import dev.sojourn.operator.status.Words;
import dev.sojourn.operator.store.StoreConfigMap;
import dev.sojourn.operator.store.StoreDisruptionBudget;
import dev.sojourn.operator.store.StoreManaged;
import dev.sojourn.operator.store.StoreNetworkPolicy;
import dev.sojourn.operator.store.StoreSecret;
import dev.sojourn.operator.store.StoreService;
import dev.sojourn.operator.store.StoreStatefulSet;
import dev.sojourn.operator.store.shard.ShardReport;
import dev.sojourn.operator.store.shard.ShardSteward;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.OperatorException;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.MaxReconciliationInterval;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Observe, validate, act, report. */
@ControllerConfiguration(
        name = "sessioncluster",
        maxReconciliationInterval = @MaxReconciliationInterval(interval = 60, timeUnit = TimeUnit.SECONDS))
@Workflow(
        explicitInvocation = true,
        dependents = {
            @Dependent(name = StoreSecret.NAME, type = StoreSecret.class, reconcilePrecondition = StoreManaged.class),
            @Dependent(
                    name = StoreConfigMap.NAME,
                    type = StoreConfigMap.class,
                    reconcilePrecondition = StoreManaged.class),
            @Dependent(name = StoreService.NAME, type = StoreService.class, reconcilePrecondition = StoreManaged.class),
            @Dependent(
                    name = StoreNetworkPolicy.NAME,
                    type = StoreNetworkPolicy.class,
                    reconcilePrecondition = StoreManaged.class),
            @Dependent(
                    name = StoreDisruptionBudget.NAME,
                    type = StoreDisruptionBudget.class,
                    reconcilePrecondition = StoreManaged.class),
            @Dependent(
                    name = StoreStatefulSet.NAME,
                    type = StoreStatefulSet.class,
                    reconcilePrecondition = StoreManaged.class,
                    dependsOn = {StoreSecret.NAME, StoreConfigMap.NAME}),
            @Dependent(
                    name = ProxyServiceAccount.NAME,
                    type = ProxyServiceAccount.class,
                    reconcilePrecondition = ProxyEnabled.class),
            @Dependent(name = ProxyRole.NAME, type = ProxyRole.class, reconcilePrecondition = ProxyEnabled.class),
            @Dependent(
                    name = ProxyRoleBinding.NAME,
                    type = ProxyRoleBinding.class,
                    reconcilePrecondition = ProxyEnabled.class,
                    // The API server looks into the role: nobody may bind what he has not himself.
                    dependsOn = ProxyRole.NAME),
            @Dependent(
                    name = ProxyConfigMap.NAME,
                    type = ProxyConfigMap.class,
                    reconcilePrecondition = ProxyEnabled.class),
            @Dependent(name = ProxyService.NAME, type = ProxyService.class, reconcilePrecondition = ProxyEnabled.class),
            @Dependent(
                    name = ProxyIngress.NAME,
                    type = ProxyIngress.class,
                    reconcilePrecondition = ProxyIngress.Wanted.class),
            @Dependent(
                    name = ProxyHttpRoute.NAME,
                    type = ProxyHttpRoute.class,
                    activationCondition = GatewayApi.Installed.class,
                    reconcilePrecondition = ProxyHttpRoute.Wanted.class),
            @Dependent(
                    name = ProxyNetworkPolicy.NAME,
                    type = ProxyNetworkPolicy.class,
                    reconcilePrecondition = ProxyNetworkPolicy.Wanted.class),
            @Dependent(
                    name = ProxyDisruptionBudget.NAME,
                    type = ProxyDisruptionBudget.class,
                    reconcilePrecondition = ProxyEnabled.class),
            @Dependent(
                    name = ProxyDeployment.NAME,
                    type = ProxyDeployment.class,
                    reconcilePrecondition = ProxyEnabled.class,
                    dependsOn = {ProxyConfigMap.NAME, ProxyServiceAccount.NAME, ProxyRoleBinding.NAME})
        })
public class SessionClusterReconciler implements Reconciler<SessionCluster>, Cleaner<SessionCluster> {

    /** How soon to look again at what no watch tells: how the store is, the Secrets of one brought along, a rival's end. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(10);

    /** While slots of a sharded store are on their way. */
    private static final Duration SOON = Duration.ofSeconds(1);

    /** Caches lag and others write too: what a second attempt mends is nobody's business. */
    private static final int QUIET_ATTEMPTS = 2;

    private final Observer observer;
    private final TemplatePatcher templates;
    private final ShardSteward shards;
    private final Evictions evictions;
    private final Farewells farewells;
    private final Events events;
    private final SessionClusterMetrics metrics;
    private final InstantSource clock = InstantSource.system();

    public SessionClusterReconciler(
            Observer observer,
            TemplatePatcher templates,
            ShardSteward shards,
            Evictions evictions,
            Farewells farewells,
            Events events,
            SessionClusterMetrics metrics) {
        this.observer = observer;
        this.templates = templates;
        this.shards = shards;
        this.evictions = evictions;
        this.farewells = farewells;
        this.events = events;
        this.metrics = metrics;
    }

    @Override
    public List<EventSource<?, SessionCluster>> prepareEventSources(EventSourceContext<SessionCluster> context) {
        return WorkloadSources.all(context);
    }

    @Override
    public UpdateControl<SessionCluster> reconcile(SessionCluster primary, Context<SessionCluster> context) {
        var seen = observer.observe(primary, context);
        var refusal = Validation.check(primary, seen);
        var inspection = new Inspection(primary, seen, refusal);
        evictions.count(primary, seen);
        // Before the rest, which others may forbid: a lost shard does not wait for that.
        // What may not be tended may be on its way all the same.
        var busy = inspection
                .sharded()
                .filter(managed -> !inspection.mayTendShards() || tendShards(primary, managed, seen, context))
                .isPresent();
        evictions.rollStore(primary, seen, busy);
        var failures = refusal.isEmpty() ? act(primary, seen, inspection, context) : List.<Failure>of();
        if (!failures.isEmpty()) {
            throw new Unfinished(failures, findings(primary, seen, failures));
        }
        return report(primary, inspection, refusal);
    }

    /**
     * Store and proxy first; the workload is rolled once, onto a store that is there. Not without what its pods need: with a sidecar they
     * wait for that. What is refused of the proxy is no reason to leave them without.
     */
    private List<Failure> act(
            SessionCluster primary, Observation seen, Inspection inspection, Context<SessionCluster> context) {
        GatewayApi.tell(context, seen.gatewayApi());
        var failures = new ArrayList<>(Failure.ofObjects(primary, context));
        if (inspection.mayInject() && failures.stream().noneMatch(Failure::holdsPods)) {
            inject(primary, seen).ifPresent(failures::add);
        }
        return failures;
    }

    private Optional<Failure> inject(SessionCluster primary, Observation seen) {
        try {
            seen.workload()
                    .ifPresent(workload ->
                            templates.inject(primary, workload, seen.wanted().hash()));
            evictions.evictOne(primary, seen);
            return Optional.empty();
        } catch (KubernetesClientException e) {
            return Optional.of(new Failure(primary.getSpec().workload().toString(), true, e));
        }
    }

    /** Where pods are held it is as if the spec were refused: they are given what they were given before. */
    private static Findings findings(SessionCluster primary, Observation seen, List<Failure> failures) {
        var hold = Optional.of(failures)
                .filter(all -> all.stream().anyMatch(Failure::holdsPods))
                .map(all -> new Refusal(ConditionType.Ready, "ReconcileFailed", Unfinished.words(all)));
        return new Inspection(primary, seen, hold).findings();
    }

    /** @return whether there was something to do, by this look */
    private boolean tendShards(
            SessionCluster primary, ManagedStoreSpec managed, Observation seen, Context<SessionCluster> context) {
        return Observer.named(context, Secret.class, Names.store(primary))
                .flatMap(StoreSecret::systemLogin)
                .flatMap(login ->
                        shards.tend(primary, managed, login, seen.storeLook()).next())
                .isPresent();
    }

    private UpdateControl<SessionCluster> report(
            SessionCluster primary, Inspection inspection, Optional<Refusal> refusal) {
        var status = new StatusAggregator(primary, clock.instant())
                .build(inspection.findings(), refusal.map(r -> Finding.bad(r.reason(), r.message())));
        var control = status.equals(primary.getStatus())
                ? UpdateControl.<SessionCluster>noUpdate()
                : UpdateControl.patchStatus(withStatus(primary, status));
        announce(primary, primary.getStatus(), status);
        metrics.tell(primary, status);
        var busy = shards.lastReport(primary).flatMap(ShardReport::next).isPresent();
        return control.rescheduleAfter(busy ? SOON : LOOK_AGAIN);
    }

    private void announce(SessionCluster primary, @Nullable SessionClusterStatus before, SessionClusterStatus after) {
        for (var condition : Transitions.between(before, after)) {
            if (Transitions.isWarning(condition)) {
                events.warning(primary, condition.getReason(), condition.getMessage());
            } else {
                events.normal(primary, condition.getReason(), condition.getMessage());
            }
        }
    }

    /** Everything else is owned, and goes with the SessionCluster once no pod needs it any more. */
    @Override
    public DeleteControl cleanup(SessionCluster primary, Context<SessionCluster> context) {
        var workloads = Observer.workloads(primary, context);
        release(primary, workloads);
        observer.forget(primary);
        metrics.forget(primary);
        evictions.forget(primary);
        var store = Farewells.GoingStore.of(
                primary, Observer.made(primary, context, StatefulSet.class, Names.store(primary)));
        return farewells.isOver(primary, store, workloads, Observer.podsWithSidecar(context), clock.instant())
                ? DeleteControl.defaultDelete()
                : DeleteControl.noFinalizerRemoval().rescheduleAfter(LOOK_AGAIN);
    }

    /** Each, whatever is said of another. The one of the spec is waited for; of others that is bounded, as what keeps their pods is. */
    private void release(SessionCluster primary, List<Workload> workloads) {
        KubernetesClientException refused = null;
        for (var workload : workloads) {
            try {
                templates.release(primary, workload);
            } catch (KubernetesClientException e) {
                events.warning(
                        primary,
                        "ReleaseRefused",
                        workload.ref() + " keeps the label " + Names.CLUSTER_LABEL + " in its template, take it out: "
                                + Words.of(e));
                refused = workload.ref().equals(primary.getSpec().workload()) ? e : refused;
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public ErrorStatusUpdateControl<SessionCluster> updateErrorStatus(
            SessionCluster primary, Context<SessionCluster> context, Exception error) {
        metrics.countFailure();
        var attempts = context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0);
        if (attempts < QUIET_ATTEMPTS) {
            return ErrorStatusUpdateControl.noStatusUpdate();
        }
        var status = failed(primary, error);
        metrics.tell(primary, status);
        return status.equals(primary.getStatus())
                ? ErrorStatusUpdateControl.noStatusUpdate()
                : ErrorStatusUpdateControl.patchStatus(withStatus(primary, status));
    }

    /** The framework's metrics wrap what was thrown. */
    private SessionClusterStatus failed(SessionCluster primary, Throwable error) {
        if (error instanceof OperatorException && error.getCause() != null) {
            return failed(primary, error.getCause());
        }
        var aggregator = new StatusAggregator(primary, clock.instant());
        if (error instanceof Unfinished unfinished) {
            var status = aggregator.failed(unfinished.findings(), unfinished);
            announce(primary, primary.getStatus(), status);
            return status;
        }
        return aggregator.failed(error);
    }

    /** Nothing but name and status: it is applied by its fields, and whatever else it carried would become ours. */
    private static SessionCluster withStatus(SessionCluster primary, SessionClusterStatus status) {
        var patch = new SessionCluster();
        patch.setMetadata(new ObjectMetaBuilder()
                .withName(primary.getMetadata().getName())
                .withNamespace(primary.getMetadata().getNamespace())
                .build());
        patch.setStatus(status);
        return patch;
    }
}
