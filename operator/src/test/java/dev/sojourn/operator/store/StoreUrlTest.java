package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreUrl.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreUrlTest {

    @Test
    void aServerMayHaveADatabase() {
        assertThat(StoreUrl.parse("redis://store:6380/2"))
                .isEqualTo(new StoreUrl(Kind.Server, false, List.of("store:6380"), null, "2"));
    }

    @Test
    void sentinelsKnowAPrimaryByName() {
        assertThat(StoreUrl.parse("rediss-sentinel://a:1,b#shop"))
                .isEqualTo(new StoreUrl(Kind.Sentinel, true, List.of("a:1", "b:26379"), "shop", "0"));
    }

    @Test
    void aClusterIsFoundThroughAnyOfItsNodes() {
        assertThat(StoreUrl.parse("redis-cluster://[fd00::1],[fd00::2]:7000"))
                .isEqualTo(new StoreUrl(Kind.Cluster, false, List.of("[fd00::1]:6379", "[fd00::2]:7000"), null, "0"));
    }
}
