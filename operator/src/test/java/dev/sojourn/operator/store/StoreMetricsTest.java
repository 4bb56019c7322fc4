package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StoreMetrics metrics = new StoreMetrics(registry);

    @Test
    void aStoreThatHasGoneLeavesNoSeriesBehind() {
        metrics.tell(new ResourceID("web", "shop"), List.of(StoreNode.parse("web-store-0", "role:master")));
        metrics.tell(new ResourceID("other", "shop"), List.of(StoreNode.parse("other-store-0", "role:master")));
        assertThat(registry.find("sojourn.store.primary").gauges()).hasSize(2);
        metrics.forget(new ResourceID("web", "shop"));
        assertThat(registry.find("sojourn.store.primary").gauges())
                .singleElement()
                .satisfies(gauge -> assertThat(gauge.getId().getTag("pod")).isEqualTo("other-store-0"));
    }
}
