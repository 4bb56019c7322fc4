package dev.sojourn.operator.inject;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.Names;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** An AdmissionReview in, an AdmissionReview out. It refuses no pod that it can judge. */
public final class Admission {

    /**
     * What became of a request; the names are a metric's label. Pods of Jobs are left alone by design, and so are those that start while
     * their SessionCluster is deleted.
     */
    public enum Outcome {
        injected,
        unchanged,
        refused,
        job,
        deleted_cluster,
        unknown_cluster,
        failed
    }

    /**
     * The response, and what to tell others about it.
     *
     * @param about whom an event is told of: the SessionCluster, or where there is none whoever makes the pods
     * @param warnings what the owner of a pod that was injected should know of its template
     * @param outdated the pod's template knows of a SessionCluster, or of settings, that are not among those that were looked at
     */
    public record Answer(
            ObjectNode review,
            Outcome outcome,
            Optional<HasMetadata> about,
            String message,
            List<String> warnings,
            boolean outdated) {

        public Answer {
            warnings = List.copyOf(warnings);
        }

        /** What is told of a pod that was given none. */
        static Answer failed(String message) {
            var none = new ObjectNode(JsonNodeFactory.instance);
            return new Answer(none, Outcome.failed, Optional.empty(), message, List.of(), false);
        }

        /** Whether the pod has its sidecar by it, with settings of before perhaps. */
        boolean injects() {
            return outcome == Outcome.injected || outcome == Outcome.unchanged;
        }
    }

    private final Injector injector;
    private final BiFunction<String, String, Optional<SessionCluster>> clusters;

    /** @param clusters by namespace and name */
    public Admission(Injector injector, BiFunction<String, String, Optional<SessionCluster>> clusters) {
        this.injector = injector;
        this.clusters = clusters;
    }

    public Answer review(JsonNode review) {
        var request = review.path("request");
        var pod = request.path("object");
        var namespace = request.path("namespace").asText();
        var name = RawPod.label(pod, Names.CLUSTER_LABEL);
        if (RawPod.isOfJob(pod)) {
            return answer(request, Injector.leaveAlone(pod, Target.JOB), Outcome.job, Optional.empty(), false);
        }
        var cluster = clusters.apply(namespace, name).orElse(null);
        if (cluster == null) {
            var unknown = new Target.None(
                    Target.NO_SESSION_CLUSTER,
                    "there is no SessionCluster " + namespace + "/" + name + "; make it, or mend the label "
                            + Names.CLUSTER_LABEL + " of the pod's template");
            var maker = RawPod.controller(pod, namespace);
            return answer(request, Injector.leaveAlone(pod, unknown), Outcome.unknown_cluster, maker, true);
        }
        if (cluster.getMetadata().getDeletionTimestamp() != null) {
            var deleted = new Target.None(
                    Target.NO_SESSION_CLUSTER, "the SessionCluster " + namespace + "/" + name + " is being deleted");
            return answer(
                    request, Injector.leaveAlone(pod, deleted), Outcome.deleted_cluster, Optional.of(cluster), true);
        }
        var settings = settings(pod, cluster);
        var injection = injector.inject(pod, settings, storeInUse(settings, cluster));
        var outcome = injection.refusal().isPresent() ? Outcome.refused : Outcome.injected;
        return answer(request, injection, outcome, Optional.of(cluster), isOutdated(pod, cluster));
    }

    private static Answer answer(
            JsonNode request,
            Injection injection,
            Outcome outcome,
            Optional<? extends HasMetadata> about,
            boolean outdated) {
        var patch = Patch.between(request.path("object"), injection.pod());
        var response = allowed(request);
        if (!patch.isEmpty()) {
            ((ObjectNode) response.path("response"))
                    .put("patchType", "JSONPatch")
                    .put(
                            "patch",
                            Base64.getEncoder().encodeToString(patch.toString().getBytes(UTF_8)));
        }
        warn(response, injection);
        return new Answer(
                response,
                outcome == Outcome.injected && patch.isEmpty() ? Outcome.unchanged : outcome,
                about.map(HasMetadata.class::cast),
                injection.refusal().orElse(""),
                injection.warnings(),
                outdated);
    }

    /**
     * A pod is given what its template was rolled with. While a new spec is refused that is the one accepted last, so that a pod that starts
     * meanwhile is like its siblings. So is one whose template says nothing, or something old: settings that its siblings have not heard of
     * may name a store that these know nothing of.
     */
    private static InjectionSettings settings(JsonNode pod, SessionCluster cluster) {
        var wanted = InjectionSettings.of(cluster);
        return wanted.hash().equals(rolledWith(pod))
                ? wanted
                : accepted(cluster).orElse(wanted);
    }

    private static boolean isOutdated(JsonNode pod, SessionCluster cluster) {
        var hash = rolledWith(pod);
        return !hash.isEmpty()
                && Stream.concat(Stream.of(InjectionSettings.of(cluster)), accepted(cluster).stream())
                        .noneMatch(settings -> settings.hash().equals(hash));
    }

    private static String rolledWith(JsonNode pod) {
        return RawPod.annotation(pod, Names.CONFIG_ANNOTATION);
    }

    private static Optional<InjectionSettings> accepted(SessionCluster cluster) {
        return Optional.ofNullable(cluster.getStatus()).map(SessionClusterStatus::injection);
    }

    private static boolean storeInUse(InjectionSettings settings, SessionCluster cluster) {
        return Optional.ofNullable(cluster.getStatus())
                .filter(SessionClusterStatus::storeInUse)
                .map(SessionClusterStatus::injection)
                .map(settings::hasSameStore)
                .orElse(false);
    }

    private static void warn(ObjectNode review, Injection injection) {
        var response = (ObjectNode) review.path("response");
        injection.refusal().ifPresent(why -> response.withArray("warnings").add("sojourn.dev: not injected: " + why));
        injection.warnings().forEach(warning -> response.withArray("warnings").add(warning));
    }

    private static ObjectNode allowed(JsonNode request) {
        var review = new ObjectNode(JsonNodeFactory.instance);
        review.put("apiVersion", "admission.k8s.io/v1").put("kind", "AdmissionReview");
        review.putObject("response").put("uid", request.path("uid").asText()).put("allowed", true);
        return review;
    }
}
