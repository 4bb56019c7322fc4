package dev.sojourn.operator.event;

import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jboss.logging.Logger;

/** Kubernetes events. The same one again is the same object with a later time, so that none can pile up. */
@ApplicationScoped
public class Events {

    private static final Logger LOG = Logger.getLogger(Events.class);

    private final KubernetesClient client;
    private final InstantSource clock;

    public Events(KubernetesClient client) {
        this.client = client;
        this.clock = InstantSource.system();
    }

    public void normal(HasMetadata about, String reason, String message) {
        emit(about, "Normal", reason, message);
    }

    public void warning(HasMetadata about, String reason, String message) {
        emit(about, "Warning", reason, message);
    }

    private void emit(HasMetadata about, String type, String reason, String message) {
        var meta = about.getMetadata();
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        var digest = InjectionSettings.sha256(meta.getUid() + type + reason + message);
        var event = new EventBuilder()
                .withNewMetadata()
                .withName(meta.getName() + "." + digest.substring(0, 16))
                .withNamespace(meta.getNamespace())
                .endMetadata()
                .withInvolvedObject(new ObjectReferenceBuilder()
                        .withApiVersion(about.getApiVersion())
                        .withKind(about.getKind())
                        .withName(meta.getName())
                        .withNamespace(meta.getNamespace())
                        .withUid(meta.getUid())
                        .withResourceVersion(meta.getResourceVersion())
                        .build())
                .withType(type)
                .withReason(reason)
                .withMessage(message)
                .withFirstTimestamp(now)
                .withLastTimestamp(now)
                .withCount(1)
                .withNewSource()
                .withComponent(Names.MANAGER)
                .endSource()
                .withReportingComponent(Names.MANAGER)
                .withReportingInstance(Objects.requireNonNullElse(System.getenv("HOSTNAME"), Names.MANAGER))
                .build();
        try {
            var patch = PatchContext.of(PatchType.SERVER_SIDE_APPLY);
            patch.setFieldManager(Names.MANAGER);
            patch.setForce(true);
            client.resource(event).patch(patch);
        } catch (KubernetesClientException e) {
            // Whoever waits for the event finds the same in the status.
            LOG.warnf(
                    "event not written reason=%s about=%s/%s: %s",
                    reason, meta.getNamespace(), meta.getName(), e.getMessage());
        }
    }
}
