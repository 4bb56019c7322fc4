package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExternalStoreMetricsTest {

    private static final String NAME = "sojourn.store.external.evicted.keys";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ExternalStoreMetrics metrics = new ExternalStoreMetrics(registry);
    private final ResourceID shop = new ResourceID("shop", "team");

    /** It may be the store and the other one, for a while. */
    @Test
    void eachServerIsToldOnceAndForgottenWithItsSessionCluster() {
        metrics.tell(shop, List.of(server("one:6379", 3L), server("two:6379", 0L), server("one:6379", 2L)));
        assertThat(registry.get(NAME)
                        .tags("sessioncluster", "shop", "server", "one:6379")
                        .gauge()
                        .value())
                .isEqualTo(3);
        assertThat(registry.find(NAME).gauges()).hasSize(2);
        metrics.tell(shop, List.of(server("two:6379", 0L)));
        assertThat(registry.find(NAME).gauges()).hasSize(1);
        // Behind its address there may be several, and nobody knows which of them counts.
        metrics.tell(shop, List.of(server("three:6379", null)));
        assertThat(registry.find(NAME).gauges()).isEmpty();
        metrics.tell(shop, List.of(server("two:6379", 0L)));
        metrics.forget(shop);
        assertThat(registry.find(NAME).gauges()).isEmpty();
    }

    private static ServerMemory server(String name, @Nullable Long dropped) {
        return new ServerMemory(name, "", ServerMemory.Fullness.Room, dropped);
    }
}
