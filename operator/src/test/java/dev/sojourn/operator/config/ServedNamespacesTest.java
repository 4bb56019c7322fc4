package dev.sojourn.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.owner.ApiServer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServedNamespacesTest {

    private static final String REVIEW = """
            {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "status": {"allowed": %s}}""";

    @Test
    void oneWithoutRightsIsLeftOutAndTheOthersAreServed() {
        assertThat(ServedNamespaces.among("a,gone,b", namespace -> !namespace.equals("gone")))
                .isEqualTo("a,b");
    }

    @ParameterizedTest
    @CsvSource({"200, true", "200, false", "403, false"})
    void whereNoneIsLeftOrNobodyAnswersAllAreTried(int status, boolean allowed) throws Exception {
        try (var api = new ApiServer(status, Map.of("selfsubjectaccessreviews", REVIEW.formatted(allowed)))) {
            assertThat(new ServedNamespaces(api.client()).among("a")).isEqualTo("a");
            assertThat(api.asked.get(0).body())
                    .contains(
                            "\"group\":\"sojourn.dev\"",
                            "\"namespace\":\"a\"",
                            "\"resource\":\"sessionclusters\"",
                            "\"verb\":\"list\"");
        }
    }
}
