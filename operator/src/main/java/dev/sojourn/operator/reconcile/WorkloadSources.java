package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.ResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Watches what is the user's: workloads, found by the names that specs give, and the pods that carry our label. */
final class WorkloadSources {

    /** Which SessionClusters name a workload; more than one is a quarrel. */
    static final String BY_WORKLOAD = "by-workload";

    /** Whole ones are in memory for as long as they are read. */
    private static final long AT_A_TIME = 500;

    private WorkloadSources() {}

    static List<EventSource<?, SessionCluster>> all(EventSourceContext<SessionCluster> context) {
        context.getPrimaryCache().addIndexer(BY_WORKLOAD, primary -> List.of(key(primary)));
        return List.of(
                workloads(context, Deployment.class, WorkloadRef.Kind.Deployment, WorkloadStore.deployments()),
                workloads(context, StatefulSet.class, WorkloadRef.Kind.StatefulSet, WorkloadStore.statefulSets()),
                pods(context));
    }

    /** All whose template has the SessionCluster's label, also those that it does not name, or names no more. */
    static List<Workload> labelled(SessionCluster primary, Context<SessionCluster> context) {
        var meta = primary.getMetadata();
        return Stream.concat(
                        seen(context, Deployment.class)
                                .list(meta.getNamespace())
                                .map(Workload::of),
                        seen(context, StatefulSet.class)
                                .list(meta.getNamespace())
                                .map(Workload::of))
                .filter(workload -> meta.getName().equals(workload.labels().get(Names.CLUSTER_LABEL)))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static <R extends HasMetadata> ResourceCache<R> seen(Context<SessionCluster> context, Class<R> type) {
        return (ResourceCache<R>) context.eventSourceRetriever().getEventSourceFor(type, name(type));
    }

    private static String name(Class<?> type) {
        return "workload-" + type.getSimpleName();
    }

    static String key(SessionCluster primary) {
        var ref = primary.getSpec().workload();
        return key(primary.getMetadata().getNamespace(), ref.kind(), ref.name());
    }

    private static String key(String namespace, WorkloadRef.Kind kind, String name) {
        return namespace + "/" + kind + "/" + name;
    }

    private static <R extends HasMetadata> EventSource<R, SessionCluster> workloads(
            EventSourceContext<SessionCluster> context, Class<R> type, WorkloadRef.Kind kind, WorkloadStore<R> store) {
        var configuration = InformerEventSourceConfiguration.from(type, SessionCluster.class)
                .withName(name(type))
                .withInformerListLimit(AT_A_TIME)
                .withPrimaryToSecondaryMapper((SessionCluster primary) -> {
                    var ref = primary.getSpec().workload();
                    return ref.kind() == kind
                            ? Set.of(new ResourceID(
                                    ref.name(), primary.getMetadata().getNamespace()))
                            : Set.<ResourceID>of();
                })
                .withSecondaryToPrimaryMapper(workload -> context
                        .getPrimaryCache()
                        .byIndex(
                                BY_WORKLOAD,
                                key(
                                        workload.getMetadata().getNamespace(),
                                        kind,
                                        workload.getMetadata().getName()))
                        .stream()
                        .map(ResourceID::fromResource)
                        .collect(Collectors.toSet()));
        // With a list of namespaces each has its informer, and they would share it: one that lists its own anew would
        // throw the workloads of all others away.
        if (context.getControllerConfiguration().getInformerConfig().watchAllNamespaces()) {
            configuration.withItemStore(store);
        }
        return new InformerEventSource<>(configuration.build(), context);
    }

    private static EventSource<Pod, SessionCluster> pods(EventSourceContext<SessionCluster> context) {
        var configuration = InformerEventSourceConfiguration.from(Pod.class, SessionCluster.class)
                .withName("pods")
                .withLabelSelector(Names.CLUSTER_LABEL)
                .withSecondaryToPrimaryMapper(pod -> Set.of(new ResourceID(
                        pod.getMetadata().getLabels().get(Names.CLUSTER_LABEL),
                        pod.getMetadata().getNamespace())))
                .build();
        return new InformerEventSource<>(configuration, context);
    }
}
