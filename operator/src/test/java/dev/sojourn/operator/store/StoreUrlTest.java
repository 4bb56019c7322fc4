package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.StoreUrl.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreUrlTest {

    @Test
    void aServerMayHaveADatabase() {
        assertThat(StoreUrl.parse("redis://store.example:6380/2", "shop"))
                .isEqualTo(new StoreUrl(Kind.Server, false, List.of("store.example:6380"), null, "2"));
    }

    @Test
    void sentinelsKnowAPrimaryByName() {
        assertThat(StoreUrl.parse("rediss-sentinel://a.example:1,b.example#shop", "shop"))
                .isEqualTo(new StoreUrl(Kind.Sentinel, true, List.of("a.example:1", "b.example:26379"), "shop", "0"));
    }

    @Test
    void aClusterIsFoundThroughAnyOfItsNodes() {
        assertThat(StoreUrl.parse("redis-cluster://[fd00::1],[fd00::2]:7000", "shop"))
                .isEqualTo(new StoreUrl(Kind.Cluster, false, List.of("[fd00::1]:6379", "[fd00::2]:7000"), null, "0"));
    }

    @Test
    void aNameWithoutADotIsOfTheNamespaceOfWhoUsesIt() {
        assertThat(StoreUrl.parse("redis-sentinel://redis,redis.other:1#x", "shop")
                        .servers())
                .containsExactly("redis.shop.svc:26379", "redis.other:1");
        assertThat(StoreUrl.seenFrom("shop", "redis-0:6379")).isEqualTo("redis-0.shop.svc:6379");
    }

    @Test
    void inTheOperatorsOwnNamespaceItIsTheSameName() {
        assertThat(StoreUrl.parse("rediss://redis", null).servers()).containsExactly("redis:6379");
    }

    @Test
    void anAddressIsTheSameFromEverywhere() {
        for (var server : List.of("10.0.0.1:6379", "[fd00::1]:6379", "localhost:6379", "redis.:6379", ":6379")) {
            assertThat(StoreUrl.seenFrom("shop", server)).isEqualTo(server);
        }
    }
}
