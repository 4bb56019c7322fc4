package dev.sojourn.operator.inject;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sojourn.operator.event.Events;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jboss.logging.Logger;

/**
 * What others are told of a pod once it has its answer. Whoever reaches the webhook's port may tell of pods that do not exist: what is kept of
 * them is bounded, and says nothing of namespaces that there are not.
 */
final class Telling {

    private static final Logger LOG = Logger.getLogger(Telling.class);

    /** What somebody has to mend. */
    private static final Set<Admission.Outcome> TOLD =
            EnumSet.of(Admission.Outcome.refused, Admission.Outcome.unknown_cluster);

    private final Calls calls;
    private final Namespaces namespaces;
    private final Events events;
    private final MeterRegistry metrics;
    private final ToldLately toldLately = new ToldLately(InstantSource.system());

    Telling(Calls calls, Namespaces namespaces, Events events, MeterRegistry metrics) {
        this.calls = calls;
        this.namespaces = namespaces;
        this.events = events;
        this.metrics = metrics;
    }

    void tell(JsonNode request, Admission.Answer answer) {
        var namespace = request.path("namespace").asText();
        var metadata = request.path("object").path("metadata");
        var pod = OneLine.of(
                metadata.path("name").asText(metadata.path("generateName").asText()));
        LOG.infof(
                "pod %s namespace=%s pod=%s %s",
                answer.outcome().name().toLowerCase(Locale.ROOT), namespace, pod, OneLine.of(answer.message()));
        if (request.path("dryRun").asBoolean()) {
            // Of a pod that never starts.
            return;
        }
        // Not on the thread that gives answers where the API server is called, as it is for an event.
        namespaces
                .have(namespace)
                .map(Future::succeededFuture)
                .orElseGet(() -> calls.call(0, () -> namespaces.ask(namespace)))
                .onSuccess(there -> {
                    if (there) {
                        keep(namespace, pod, answer);
                    } else {
                        LOG.warnf(
                                "not counted namespace=%s pod=%s: API servers ask about no pod there, somebody else has reached the"
                                        + " webhook's port; say in networkPolicy.webhookFrom where they are",
                                namespace, pod);
                    }
                })
                .onFailure(error -> LOG.warnf(
                        "not counted namespace=%s pod=%s: whether there is the namespace is not known: %s",
                        namespace, pod, OneLine.of(String.valueOf(error.getMessage()))));
    }

    private void keep(String namespace, String pod, Admission.Answer answer) {
        metrics.counter("sojourn.injections", "outcome", answer.outcome().name(), "namespace", namespace)
                .increment();
        if (TOLD.contains(answer.outcome())) {
            warn(namespace, answer, "InjectionRefused", pod + ": " + answer.message());
        }
        // Without the pod's name: those of one template are told of once. Whoever made the pod is told too, but that is
        // a controller.
        answer.warnings().forEach(warning -> warn(namespace, answer, "PodTemplate", warning));
    }

    private void warn(String namespace, Admission.Answer answer, String reason, String text) {
        var message = OneLine.of(text);
        answer.about().ifPresent(about -> {
            var meta = about.getMetadata();
            if (toldLately.lets(namespace, List.of(about.getKind(), meta.getName(), meta.getUid(), reason, message))) {
                calls.call(0, () -> {
                    events.warning(about, reason, message);
                    return true;
                });
            }
        });
    }
}
