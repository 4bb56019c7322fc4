package dev.sojourn.operator.store;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.processing.dependent.workflow.Condition;
import java.util.Set;

/** The store's objects exist while the operator is to run one, and then until the last pod has gone that may use it. */
public class StoreManaged implements Condition<HasMetadata, SessionCluster> {

    /** Such pods stay as objects, for as long as nobody removes them. */
    private static final Set<String> OVER = Set.of("Succeeded", "Failed");

    @Override
    public boolean isMet(
            DependentResource<HasMetadata, SessionCluster> dependent,
            SessionCluster primary,
            Context<SessionCluster> context) {
        return !isOnlyKept(primary) || isUsed(primary, context);
    }

    static boolean isOnlyKept(SessionCluster primary) {
        return primary.getSpec().store().managed() == null;
    }

    /** By a pod that was injected with other settings than those of now; those on their way out still commit. */
    private static boolean isUsed(SessionCluster primary, Context<SessionCluster> context) {
        var settings = InjectionSettings.of(primary).hash();
        return context.getSecondaryResourcesAsStream(Pod.class)
                .filter(pod -> pod.getStatus() == null
                        || !OVER.contains(pod.getStatus().getPhase()))
                .map(pod -> pod.getMetadata().getAnnotations())
                .anyMatch(annotations -> annotations != null
                        && !settings.equals(annotations.getOrDefault(Names.INJECTED_ANNOTATION, settings)));
    }
}
