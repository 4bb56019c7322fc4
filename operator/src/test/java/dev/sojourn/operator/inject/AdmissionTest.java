package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.api.SessionClusterStatus;
import dev.sojourn.operator.config.IpFamily;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdmissionTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final SessionCluster cluster = Serialization.unmarshal("""
            apiVersion: sojourn.dev/v1alpha1
            kind: SessionCluster
            metadata: {name: web, namespace: shop}
            spec: {workload: {name: web}, port: 8080}
            """, SessionCluster.class);

    private final Admission admission = new Admission(
            new Injector(new SidecarSpec("sidecar", "IfNotPresent", IpFamily.IPv4, false)),
            (namespace, name) -> Optional.of(cluster)
                    .filter(c -> c.getMetadata().getNamespace().equals(namespace)
                            && c.getMetadata().getName().equals(name)));

    private ObjectNode review = review();

    @BeforeEach
    void fresh() {
        review = review();
    }

    @Test
    void thePatchMakesTheInjectedPod() throws JsonProcessingException {
        var answer = admission.review(review);
        assertThat(answer.outcome()).isEqualTo(Admission.Outcome.injected);
        var response = answer.review().path("response");
        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.path("uid").asText()).isEqualTo("42");
        var patched = JsonPatch.apply(patch(response), review.at("/request/object"));
        assertThat(patched.at("/spec/initContainers/0/name").asText()).isEqualTo("sojourn");
        assertThat(patched.at("/metadata/annotations")
                        .path("sojourn.dev/injected")
                        .asText())
                .isEqualTo(InjectionSettings.of(cluster).hash());
    }

    @Test
    void aPodOfAnUnknownClusterIsLeftAloneAndSaysWhy() throws JsonProcessingException {
        ((ObjectNode) review.at("/request/object/metadata/labels")).put("sojourn.dev/cluster", "wbe");
        owner("ReplicaSet", "web-5d4f");
        var answer = admission.review(review);
        assertThat(answer.outcome()).isEqualTo(Admission.Outcome.unknown_cluster);
        assertLeftAlone(
                answer,
                "NoSessionCluster: there is no SessionCluster shop/wbe; make it, or mend the label sojourn.dev/cluster"
                        + " of the pod's template");
        // There is no SessionCluster to tell of it, and no pod yet.
        assertThat(answer.about()).get().satisfies(maker -> {
            assertThat(maker.getKind()).isEqualTo("ReplicaSet");
            assertThat(maker.getApiVersion()).isEqualTo("apps/v1");
            assertThat(maker.getMetadata().getNamespace()).isEqualTo("shop");
            assertThat(maker.getMetadata().getName()).isEqualTo("web-5d4f");
            assertThat(maker.getMetadata().getUid()).isEqualTo("u-1");
        });
    }

    /** No event can be of it, and as a part of the URL it could be another request. The API server looks at names when webhooks have. */
    @ParameterizedTest
    @ValueSource(strings = {"../../x", "web?dryRun=All", "web\n", "system:web", ""})
    void ofAMakerWhoseNameIsNoneNobodyIsTold(String name) {
        ((ObjectNode) review.at("/request/object/metadata/labels")).put("sojourn.dev/cluster", "wbe");
        owner("ReplicaSet", name);
        var answer = admission.review(review);
        assertThat(answer.review().at("/response/allowed").asBoolean()).isTrue();
        assertThat(answer.about()).isEmpty();
    }

    @Test
    void aPodThatStartsWhileItsClusterIsDeletedIsLeftAloneAndNobodyHasToMendIt() throws JsonProcessingException {
        cluster.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
        var answer = admission.review(review);
        assertThat(answer.outcome()).isEqualTo(Admission.Outcome.deleted_cluster);
        assertLeftAlone(answer, "NoSessionCluster: the SessionCluster shop/web is being deleted");
        assertThat(answer.outdated()).isTrue();
    }

    @Test
    void aJobsPodIsLeftAloneWhetherThereIsItsClusterOrNot() throws JsonProcessingException {
        owner("Job", "nightly-1");
        for (var name : List.of("web", "other")) {
            ((ObjectNode) review.at("/request/object/metadata/labels")).put("sojourn.dev/cluster", name);
            var answer = admission.review(review);
            assertThat(answer.outcome()).isEqualTo(Admission.Outcome.job);
            assertLeftAlone(
                    answer, "JobPod: the pod is a Job's; remove the label sojourn.dev/cluster from the Job's template");
            assertThat(answer.outdated()).isFalse();
        }
    }

    @Test
    void aPodThatCannotBeInjectedIsAllowedAndSaysWhy() throws JsonProcessingException {
        ((ObjectNode) review.at("/request/object/spec")).put("hostNetwork", true);
        var answer = admission.review(review);
        assertThat(answer.outcome()).isEqualTo(Admission.Outcome.refused);
        var response = answer.review().path("response");
        assertThat(response.path("warnings").path(0).asText()).contains("hostNetwork");
        var patched = JsonPatch.apply(patch(response), review.at("/request/object"));
        assertThat(patched.at("/spec").equals(review.at("/request/object/spec")))
                .isTrue();
        assertThat(patched.at("/metadata/annotations")
                        .path("sojourn.dev/not-injected")
                        .asText())
                .startsWith("HostNetwork");
    }

    @Test
    void whatTheOwnerOfAPodShouldKnowIsToldToItsMakerAndToTheCluster() {
        ((ObjectNode) review.at("/request/object/spec")).put("terminationGracePeriodSeconds", 10);
        var answer = admission.review(review);
        assertThat(answer.outcome()).isEqualTo(Admission.Outcome.injected);
        assertThat(answer.warnings()).singleElement().asString().contains("spec.drain.deadline");
        assertThat(answer.review().at("/response/warnings/0").asText())
                .isEqualTo(answer.warnings().get(0));
    }

    @Test
    void aPodThatIsInjectedAlreadyGetsNoPatch() throws JsonProcessingException {
        var first = admission.review(review);
        var injected = JsonPatch.apply(patch(first.review().path("response")), review.at("/request/object"));
        ((ObjectNode) review.path("request")).set("object", injected);
        var second = admission.review(review);
        assertThat(second.outcome()).isEqualTo(Admission.Outcome.unchanged);
        assertThat(second.review().path("response").has("patch")).isFalse();
    }

    @Test
    void whileANewSpecIsRefusedPodsGetTheLastAcceptedSettings() throws JsonProcessingException {
        var accepted = InjectionSettings.plain("shop.web", "redis://old:6379", null, null);
        cluster.setStatus(new SessionClusterStatus(1L, List.of(), 0, 0, "0/0", null, true, List.of(), null, accepted));
        ((ObjectNode) review.at("/request/object/metadata"))
                .putObject("annotations")
                .put("sojourn.dev/config", accepted.hash());
        var response = admission.review(review).review().path("response");
        assertThat(patch(response).toString()).contains("redis://old:6379").contains("SOJOURN_STORE_IN_USE");
    }

    @Test
    void aPodWhoseTemplateSaysNothingIsLikeItsSiblings() throws JsonProcessingException {
        var accepted = InjectionSettings.plain("shop.web", "redis://old:6379", null, null);
        cluster.setStatus(new SessionClusterStatus(1L, List.of(), 0, 0, "0/0", null, true, List.of(), null, accepted));
        var annotations = ((ObjectNode) review.at("/request/object/metadata")).putObject("annotations");
        assertThat(patch(admission.review(review).review().path("response")).toString())
                .contains("redis://old:6379");
        annotations.put("sojourn.dev/config", InjectionSettings.of(cluster).hash());
        assertThat(patch(admission.review(review).review().path("response")).toString())
                .contains("redis://web-store.shop.svc:6379");
    }

    @Test
    void whoKnowsLessThanAPodsTemplateSaysSo() {
        var annotations = ((ObjectNode) review.at("/request/object/metadata")).putObject("annotations");
        assertThat(admission.review(review).outdated()).isFalse();
        annotations.put("sojourn.dev/config", InjectionSettings.of(cluster).hash());
        assertThat(admission.review(review).outdated()).isFalse();

        var later = InjectionSettings.plain("shop.web", "redis://later:6379", null, null);
        annotations.put("sojourn.dev/config", later.hash());
        assertThat(admission.review(review).outdated()).isTrue();
        cluster.setStatus(new SessionClusterStatus(1L, List.of(), 0, 0, "0/0", null, true, List.of(), null, later));
        assertThat(admission.review(review).outdated()).isFalse();

        ((ObjectNode) review.at("/request/object/metadata/labels")).put("sojourn.dev/cluster", "other");
        assertThat(admission.review(review).outdated()).isTrue();
    }

    @Test
    void ofAStoreThatNobodyHasReachedYetNothingIsAwaited() throws JsonProcessingException {
        var old = InjectionSettings.plain("shop.web", "redis://old:6379", null, null);
        cluster.setStatus(new SessionClusterStatus(1L, List.of(), 0, 0, "0/0", null, true, List.of(), null, old));
        ((ObjectNode) review.at("/request/object/metadata"))
                .putObject("annotations")
                .put("sojourn.dev/config", InjectionSettings.of(cluster).hash());
        assertThat(patch(admission.review(review).review().path("response")).toString())
                .doesNotContain("SOJOURN_STORE_IN_USE");
    }

    private void owner(String kind, String name) {
        ((ObjectNode) review.at("/request/object/metadata"))
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", kind)
                .put("name", name)
                .put("uid", "u-1")
                .put("controller", true);
    }

    private void assertLeftAlone(Admission.Answer answer, String why) throws JsonProcessingException {
        var response = answer.review().path("response");
        assertThat(response.path("allowed").asBoolean()).isTrue();
        assertThat(response.at("/warnings/0").asText()).isEqualTo("sojourn.dev: not injected: " + why);
        var patched = JsonPatch.apply(patch(response), review.at("/request/object"));
        assertThat(patched.at("/metadata/annotations")
                        .path("sojourn.dev/not-injected")
                        .asText())
                .isEqualTo(why);
        assertThat((Object) patched.path("spec")).isEqualTo(review.at("/request/object/spec"));
    }

    private static JsonNode patch(JsonNode response) throws JsonProcessingException {
        return JSON.readTree(new String(
                Base64.getDecoder().decode(response.path("patch").asText()), java.nio.charset.StandardCharsets.UTF_8));
    }

    private static ObjectNode review() {
        var review = JSON.createObjectNode();
        var request = review.putObject("request").put("uid", "42").put("namespace", "shop");
        var pod = request.putObject("object");
        pod.putObject("metadata").putObject("labels").put("sojourn.dev/cluster", "web");
        var container = pod.putObject("spec").putArray("containers").addObject().put("name", "app");
        container.putArray("ports").addObject().put("containerPort", 8080);
        return review;
    }
}
