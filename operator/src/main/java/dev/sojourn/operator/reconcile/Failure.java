package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.dependent.OwnedResource;
import dev.sojourn.operator.status.Words;
import dev.sojourn.operator.store.StoreSecret;
import io.javaoperatorsdk.operator.AggregatedOperatorException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import java.util.Comparator;
import java.util.List;

/**
 * One thing that could not be done, and why.
 *
 * @param holdsPods pods with the sidecar would wait for it: none is made before it is done
 */
record Failure(String what, boolean holdsPods, Exception error) {

    /** Makes store and proxy. */
    static List<Failure> ofObjects(SessionCluster primary, Context<SessionCluster> context) {
        var workflow = context.managedWorkflowAndDependentResourceContext();
        try {
            workflow.reconcileManagedWorkflow();
            return List.of();
        } catch (AggregatedOperatorException e) {
            // Its own words are stacks; the result has the objects. Quarkus does not heed handleExceptionsInReconciler.
            return workflow.getWorkflowReconcileResult().orElseThrow(() -> e).getErroredDependents().entrySet().stream()
                    .map(failed -> of(primary, (OwnedResource<?>) failed.getKey(), failed.getValue()))
                    // In any order of theirs it is the same status.
                    .sorted(Comparator.comparing(Failure::what))
                    .toList();
        }
    }

    /** A store that goes is waited for by nobody. */
    private static Failure of(SessionCluster primary, OwnedResource<?> object, Exception error) {
        var isWanted = primary.getSpec().store().managed() != null;
        return new Failure(object.describe(primary), isWanted && object.isPartOf(StoreSecret.COMPONENT), error);
    }

    String words() {
        return what + ": " + Words.of(error);
    }
}
