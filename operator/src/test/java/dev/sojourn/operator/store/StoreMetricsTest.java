package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreMetricsTest {

    private static final ResourceID WEB = new ResourceID("web", "shop");
    private static final ResourceID OTHER = new ResourceID("other", "shop");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final StoreMetrics metrics = new StoreMetrics(registry);

    @Test
    void aStoreThatHasGoneLeavesNoSeriesBehind() {
        metrics.tell(WEB, List.of(), List.of(StoreNode.parse("web-store-0", "role:master")));
        metrics.tell(OTHER, List.of(), List.of(StoreNode.parse("other-store-0", "role:master")));
        assertThat(registry.find("sojourn.store.primary").gauges()).hasSize(2);
        metrics.forget(WEB);
        assertThat(registry.find("sojourn.store.primary").gauges())
                .singleElement()
                .satisfies(gauge -> assertThat(gauge.getId().getTag("pod")).isEqualTo("other-store-0"));
    }

    /** One that is registered anew is missing from a scrape in between, and an alert's {@code for} begins again. */
    @Test
    void aSeriesThatIsToldOfAgainIsNeverTakenAway() {
        metrics.tell(WEB, List.of(), List.of(primary("web-store-0", 10), StoreNode.parse("web-store-1", "role:slave")));
        metrics.tell(OTHER, List.of(), List.of(primary("other-store-0", 10)));
        var registered = new ArrayList<Meter>();
        registry.config().onMeterAdded(registered::add).onMeterRemoved(registered::add);
        metrics.tell(WEB, List.of(), List.of(StoreNode.parse("web-store-0", "role:slave"), primary("web-store-1", 20)));
        assertThat(registered).isEmpty();
        assertThat(value("sojourn.store.primary", "web-store-0")).isZero();
        assertThat(value("sojourn.store.primary", "web-store-1")).isOne();
        assertThat(value("sojourn.store.replica.lag.bytes", "web-store-2")).isEqualTo(20);
    }

    @Test
    void aPodThatHasGoneLeavesNoSeriesBehind() {
        metrics.tell(WEB, List.of(), List.of(primary("web-store-0", 10), StoreNode.parse("web-store-1", "role:slave")));
        metrics.tell(WEB, List.of(), List.of(StoreNode.parse("web-store-0", "role:master")));
        assertThat(registry.find("sojourn.store.keys").gauges()).hasSize(1);
        assertThat(registry.find("sojourn.store.replica.lag.bytes").gauges()).isEmpty();
    }

    @Test
    void whatAServerHasDroppedIsTold() {
        metrics.tell(WEB, List.of(), List.of(StoreNode.parse("web-store-0", "role:master\nevicted_keys:7")));
        assertThat(value("sojourn.store.evicted.keys", "web-store-0")).isEqualTo(7);
        metrics.forget(WEB);
        assertThat(registry.find("sojourn.store.evicted.keys").gauges()).isEmpty();
    }

    /** No alert could fire on a series that is not there. */
    @Test
    void aReplicaThatDoesNotAnswerIsNotInStep() {
        var expected = List.of("web-store-0", "web-store-1", "web-store-2");
        metrics.tell(WEB, expected, List.of(primary("web-store-0", 10), replicaInStep("web-store-1")));
        assertThat(expected).map(pod -> value("sojourn.store.in.step", pod)).containsExactly(1.0, 1.0, 0.0);
        assertThat(registry.find("sojourn.store.primary").gauges()).hasSize(2);
    }

    private static StoreNode replicaInStep(String pod) {
        return StoreNode.parse(pod, "role:slave\nmaster_link_status:up");
    }

    /** Its replica is so many bytes behind. */
    private static StoreNode primary(String pod, long lag) {
        return StoreNode.parse(pod, """
                role:master
                connected_slaves:1
                slave0:ip=web-store-2.web-store.shop.svc,port=6379,state=online,offset=100,lag=0
                master_repl_offset:%d
                """.formatted(100 + lag));
    }

    private double value(String name, String pod) {
        return registry.get(name)
                .tags("sessioncluster", "web", "pod", pod)
                .gauge()
                .value();
    }
}
