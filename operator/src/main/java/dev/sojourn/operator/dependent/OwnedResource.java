package dev.sojourn.operator.dependent;

import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.ReconcileResult;
import io.javaoperatorsdk.operator.processing.dependent.kubernetes.CRUDKubernetesDependentResource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One object per SessionCluster, in its namespace, named and labelled after it, gone with it. */
public abstract class OwnedResource<R extends HasMetadata> extends CRUDKubernetesDependentResource<R, SessionCluster>
        implements SecondaryToPrimaryMapper<R> {

    private final String component;

    protected OwnedResource(Class<R> type, String component) {
        super(type);
        this.component = component;
    }

    protected abstract String nameFor(SessionCluster primary);

    /** For people. */
    public String describe(SessionCluster primary) {
        return HasMetadata.getKind(resourceType()) + " " + nameFor(primary);
    }

    public boolean isPartOf(String component) {
        return this.component.equals(component);
    }

    /** Whether it is wanted no more, and only kept for those who still use it. */
    protected boolean isOnlyKept(SessionCluster primary) {
        return false;
    }

    @Override
    public ReconcileResult<R> reconcile(SessionCluster primary, Context<SessionCluster> context) {
        return isOnlyKept(primary)
                ? ReconcileResult.noOperation(
                        getSecondaryResource(primary, context).orElse(null))
                : super.reconcile(primary, context);
    }

    /** The API server's word for one of the user's with that name is that somebody has changed it: tried again and again, for ever. */
    @Override
    public R create(R desired, SessionCluster primary, Context<SessionCluster> context) {
        try {
            return super.create(desired, primary, context);
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_CONFLICT && isTaken(primary, context.getClient())) {
                throw new IllegalStateException(
                        "there is one of that name that is not this SessionCluster's; make either of the two anew under"
                                + " another name",
                        e);
            }
            throw e;
        }
    }

    /** Not where a cache lags and it is ours. */
    private boolean isTaken(SessionCluster primary, KubernetesClient client) {
        var there = client.resources(resourceType())
                .inNamespace(primary.getMetadata().getNamespace())
                .withName(nameFor(primary))
                .get();
        return there != null && !Names.isMadeFor(primary, there);
    }

    /** The framework does not look at owner references where it does not apply server-side: a ConfigMap or a Secret would stay when all else goes. */
    @Override
    public Result<R> match(R actual, R desired, SessionCluster primary, Context<SessionCluster> context) {
        return actual.hasOwnerReferenceFor(primary)
                ? super.match(actual, desired, primary, context)
                : Result.nonComputed(false);
    }

    @Override
    public R update(R actual, R desired, SessionCluster primary, Context<SessionCluster> context) {
        return super.update(
                owned(actual, primary, context.getClient().getKubernetesSerialization()), desired, primary, context);
    }

    /** Not the one in the cache. */
    static <R extends HasMetadata> R owned(R actual, SessionCluster primary, KubernetesSerialization serialization) {
        if (actual.hasOwnerReferenceFor(primary)) {
            return actual;
        }
        var owned = serialization.clone(actual);
        owned.addOwnerReference(primary);
        return owned;
    }

    /** What is kept has sessions: only the SessionCluster that had it gives it up. It may have been left on purpose by one of this name of before. */
    @Override
    protected void handleDelete(SessionCluster primary, @Nullable R secondary, Context<SessionCluster> context) {
        if (secondary != null && (!isOnlyKept(primary) || secondary.hasOwnerReferenceFor(primary))) {
            super.handleDelete(primary, secondary, context);
        }
    }

    /** Told by name, because several objects of one kind belong to one SessionCluster. */
    @Override
    protected ResourceID targetSecondaryResourceID(SessionCluster primary, Context<SessionCluster> context) {
        return new ResourceID(nameFor(primary), primary.getMetadata().getNamespace());
    }

    /** By its label: one that was restored from a backup, or left by a deletion, has no owner until we give it one. */
    @Override
    public Set<ResourceID> toPrimaryResourceIDs(R resource) {
        var metadata = resource.getMetadata();
        return Optional.ofNullable(metadata.getLabels().get(Names.OWNED_BY_LABEL))
                .map(owner -> Set.of(new ResourceID(owner, metadata.getNamespace())))
                .orElse(Set.of());
    }

    /** One of the user's with that name is not the one: it would be taken for what is wanted no more, and deleted. */
    @Override
    protected Optional<R> selectTargetSecondaryResource(
            Set<R> resources, SessionCluster primary, Context<SessionCluster> context) {
        var ours = resources.stream()
                .filter(resource -> Names.isMadeFor(primary, resource))
                .collect(Collectors.toSet());
        return super.selectTargetSecondaryResource(ours, primary, context);
    }

    protected ObjectMeta metadata(SessionCluster primary) {
        return new ObjectMetaBuilder()
                .withName(nameFor(primary))
                .withNamespace(primary.getMetadata().getNamespace())
                .withLabels(Names.labels(primary, component))
                .build();
    }
}
