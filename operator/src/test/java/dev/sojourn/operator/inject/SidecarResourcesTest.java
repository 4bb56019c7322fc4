package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.api.InjectionSpec.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SidecarResourcesTest {

    @Test
    void theUsualOnesCanBeHad() {
        assertThat(new SidecarResources(null).trouble()).isEmpty();
        assertThat(new SidecarResources(new Resources(null, null)).trouble()).isEmpty();
    }

    @Test
    void otherOnesCan() {
        assertThat(trouble(Map.of("cpu", "0.5", "memory", "128Mi"), Map.of("cpu", "500m", "memory", "1Gi")))
                .isEmpty();
    }

    @Test
    void whatIsNoAmountIsNamed() {
        assertThat(trouble(Map.of(), Map.of("cpu", "half"))).get().asString().contains("limits.cpu: half is no amount");
        assertThat(trouble(Map.of("memory", "-1Mi"), Map.of())).get().asString().contains("requests.memory: -1Mi");
    }

    @Test
    void aLimitThatWouldKillTheSidecarIsNamed() {
        assertThat(trouble(Map.of(), Map.of("memory", "64Mi")))
                .get()
                .asString()
                .contains("limits.memory: 64Mi", "96Mi");
    }

    @Test
    void aRequestAboveTheLimitIsNamed() {
        assertThat(trouble(Map.of("memory", "256Mi"), Map.of()))
                .get()
                .asString()
                .contains("requests.memory: 256Mi is more than the limit of 128Mi");
    }

    @Test
    void withMoreMemoryItHoldsMore() {
        assertThat(new SidecarResources(null).cache()).isEqualTo("42MiB");
        assertThat(new SidecarResources(null).queue()).isEqualTo("24MiB");
        var more = new SidecarResources(new Resources(Map.of(), amounts(Map.of("memory", "500M"))));
        assertThat(more.cache()).isEqualTo("158MiB");
        assertThat(more.queue()).isEqualTo("89MiB");
    }

    @Test
    void theyAreGuaranteedWhereRequestsAreLimits() {
        assertThat(areGuaranteed(Map.of("cpu", "0.1", "memory", "128Mi"), Map.of("cpu", "100m")))
                .isTrue();
        assertThat(areGuaranteed(Map.of("cpu", "100m"), Map.of("cpu", "100m"))).isFalse();
        assertThat(areGuaranteed(Map.of("memory", "128Mi"), Map.of())).isFalse();
    }

    private static boolean areGuaranteed(Map<String, String> requests, Map<String, String> limits) {
        return new SidecarResources(new Resources(amounts(requests), amounts(limits))).areGuaranteed();
    }

    private static Optional<String> trouble(Map<String, String> requests, Map<String, String> limits) {
        return new SidecarResources(new Resources(amounts(requests), amounts(limits))).trouble();
    }

    private static Map<String, Quantity> amounts(Map<String, String> texts) {
        return texts.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> new Quantity(entry.getValue())));
    }
}
