package dev.sojourn.operator.owner;

import dev.sojourn.operator.config.OperatorConfig;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jboss.logging.Logger;

/** The Deployment that the operator runs in: what it makes beside itself belongs to that, and Kubernetes deletes it with its owner. */
@ApplicationScoped
public class OwnDeployment {

    private static final Logger LOG = Logger.getLogger(OwnDeployment.class);

    private final KubernetesClient client;
    private final OperatorConfig config;

    public OwnDeployment(KubernetesClient client, OperatorConfig config) {
        this.client = client;
        this.config = config;
    }

    /**
     * Empty where none is named, or we may not look at it: then what we make stays behind.
     *
     * @throws IllegalStateException if it is not there: we are being uninstalled, and what is made now would be left without an owner
     */
    public Optional<OwnerReference> reference() {
        try {
            return config.deployment().map(this::find).map(OwnDeployment::referenceTo);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
                throw e;
            }
            LOG.warn("what the operator makes stays when it is uninstalled: it may not get its own Deployment;"
                    + " upgrade its chart, whose Role has deployments: get");
            return Optional.empty();
        }
    }

    private Deployment find(String name) {
        var found = client.apps()
                .deployments()
                .inNamespace(config.namespace())
                .withName(name)
                .get();
        if (found == null) {
            throw new IllegalStateException("SOJOURN_DEPLOYMENT: there is no Deployment " + name + " in namespace "
                    + config.namespace() + "; name the one that the operator runs in, unless it is being uninstalled");
        }
        return found;
    }

    /** Nobody waits for the end of what belongs to us: to block it would take a right more. */
    static OwnerReference referenceTo(Deployment deployment) {
        return new OwnerReferenceBuilder()
                .withApiVersion(deployment.getApiVersion())
                .withKind(deployment.getKind())
                .withName(deployment.getMetadata().getName())
                .withUid(deployment.getMetadata().getUid())
                .build();
    }

    /**
     * For what was made without an owner: by the framework, or by an operator of before. Where we fail to be it, it stays behind one
     * day; nothing is held up now.
     */
    public void adopt(String what, Resource<?> orphan) {
        try {
            reference()
                    .ifPresent(owner -> orphan.patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            Serialization.asJson(Map.of("metadata", Map.of("ownerReferences", List.of(owner))))));
        } catch (KubernetesClientException | IllegalStateException e) {
            LOG.warnf("%s stays when the operator is uninstalled: %s", what, e.getMessage());
        }
    }
}
