package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TemplatePatchTest {

    private static final String CONTAINERS = "spec: {containers: [{name: app}]}";

    @Test
    void setsOneLabelAndOneAnnotation() {
        assertThat(TemplatePatch.inject(Seen.workload("{" + CONTAINERS + "}"), "web", "abc"))
                .hasValue("{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"sojourn.dev/cluster\":\"web\"},"
                        + "\"annotations\":{\"sojourn.dev/config\":\"abc\"}}}}}");
    }

    @Test
    void sendsNothingWhereItIsSaidAlready() {
        assertThat(TemplatePatch.inject(labelled("web", "abc"), "web", "abc")).isEmpty();
        assertThat(TemplatePatch.inject(labelled("web", "old"), "web", "abc")).isPresent();
    }

    @Test
    void takesAwayExactlyThose() {
        assertThat(TemplatePatch.release(labelled("web", "abc"), "web"))
                .hasValue("{\"spec\":{\"template\":{\"metadata\":{\"labels\":{\"sojourn.dev/cluster\":null},"
                        + "\"annotations\":{\"sojourn.dev/config\":null}}}}}");
    }

    @Test
    void leavesTheTemplateOfAnotherSessionCluster() {
        assertThat(TemplatePatch.release(labelled("first", "abc"), "second")).isEmpty();
    }

    private static Workload labelled(String cluster, String hash) {
        return Seen.workload("{metadata: {labels: {sojourn.dev/cluster: " + cluster
                + "}, annotations: {sojourn.dev/config: " + hash + "}}, " + CONTAINERS + "}");
    }
}
