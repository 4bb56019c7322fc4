package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.WorkloadRef;
import dev.sojourn.operator.config.Permission;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.HttpURLConnection;
import org.jboss.logging.Logger;

/** Puts our label into the user's pod template and takes it out again. Either rolls the pods. */
@ApplicationScoped
public class TemplatePatcher {

    private static final Logger LOG = Logger.getLogger(TemplatePatcher.class);
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;

    public TemplatePatcher(KubernetesClient client) {
        this.client = client;
    }

    void inject(SessionCluster owner, Workload workload, String hash) {
        TemplatePatch.inject(workload, owner.getMetadata().getName(), hash).ifPresent(patch -> {
            LOG.infof("template labelled %s config=%s", describe(owner, workload), hash);
            apply(owner, workload, patch);
        });
    }

    void release(SessionCluster owner, Workload workload) {
        TemplatePatch.release(workload, owner.getMetadata().getName()).ifPresent(patch -> {
            LOG.infof("template released %s", describe(owner, workload));
            try {
                apply(owner, workload, patch);
            } catch (KubernetesClientException e) {
                // A policy's word is 403, too: with the SessionCluster its store would go, and the pods keep their
                // sidecars.
                if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN || mayPatch(owner, workload)) {
                    throw e;
                }
                // Its namespace goes, and our rights there went first. Kept for this, the SessionCluster would hold it
                // for good.
                LOG.warnf("workload left as it is %s: %s", describe(owner, workload), e.getMessage());
            }
        });
    }

    private boolean mayPatch(SessionCluster owner, Workload workload) {
        var resource = switch (workload.ref().kind()) {
            case Deployment -> "deployments";
            case StatefulSet -> "statefulsets";
        };
        return new Permission("patch", "apps", resource, owner.getMetadata().getNamespace()).isGranted(client);
    }

    private void apply(SessionCluster owner, Workload workload, String patch) {
        var namespace = owner.getMetadata().getNamespace();
        var name = workload.ref().name();
        try {
            if (workload.ref().kind() == WorkloadRef.Kind.Deployment) {
                client.apps()
                        .deployments()
                        .inNamespace(namespace)
                        .withName(name)
                        .patch(MERGE, patch);
            } else {
                client.apps()
                        .statefulSets()
                        .inNamespace(namespace)
                        .withName(name)
                        .patch(MERGE, patch);
            }
        } catch (KubernetesClientException e) {
            if (e.getCode() != 404) {
                throw e;
            }
            LOG.infof("workload gone meanwhile %s", describe(owner, workload));
        }
    }

    private static String describe(SessionCluster owner, Workload workload) {
        return "workload=" + workload.ref() + " sessionCluster="
                + owner.getMetadata().getNamespace() + "/" + owner.getMetadata().getName();
    }
}
