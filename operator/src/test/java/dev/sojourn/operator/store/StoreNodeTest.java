package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreNodeTest {

    @Test
    void aPrimaryTellsHowFarItsReplicasAreBehind() {
        var node = StoreNode.parse("shop-store-0", """
                # Memory\r
                used_memory:1000\r
                maxmemory:4000\r
                # Stats\r
                evicted_keys:7\r
                # Replication\r
                role:master\r
                connected_slaves:2\r
                slave0:ip=shop-store-1.shop-store.web.svc,port=6379,state=online,offset=90,lag=0\r
                slave1:ip=shop-store-2.shop-store.web.svc,port=6379,state=wait_bgsave,offset=0,lag=0\r
                master_repl_offset:100\r
                # Keyspace\r
                db0:keys=12,expires=12,avg_ttl=1000\r
                """);
        assertThat(node)
                .isEqualTo(new StoreNode(
                        "shop-store-0", true, true, 1000, 4000, 12, 7, 100, 0, Map.of("shop-store-1", 10L)));
        assertThat(node.percentUsed()).isEqualTo(Optional.of(25));
    }

    @Test
    void aReplicaIsInStepWhileItsLinkIsUp() {
        assertThat(StoreNode.parse("b", "role:slave\r\nmaster_link_status:up\r\n")
                        .inStep())
                .isTrue();
        assertThat(StoreNode.parse("b", "role:slave\r\nmaster_link_status:down\r\n")
                        .inStep())
                .isFalse();
    }

    @Test
    void aReplicaThatHasLostItsPrimaryStillTellsHowFarItCame() {
        var node = StoreNode.parse(
                "b", "role:slave\r\nmaster_link_status:down\r\nslave_repl_offset:90\r\nmaster_repl_offset:91\r\n");
        assertThat(node.offset()).isEqualTo(90);
    }

    @ParameterizedTest
    @CsvSource({"up:, 0", "down:7, 7", "down:-1, 9223372036854775807"})
    void aReplicaTellsForHowLongItHasHadNoPrimary(String since, long alone) {
        var lines = since.replace(":", "\r\nmaster_link_down_since_seconds:");
        assertThat(StoreNode.parse("b", "role:slave\r\nmaster_link_status:" + lines + "\r\n")
                        .alone())
                .isEqualTo(alone);
    }

    @Test
    void withoutALimitNothingIsFull() {
        assertThat(StoreNode.parse("a", "role:master\r\nused_memory:5\r\nmaxmemory:0\r\n")
                        .percentUsed())
                .isEmpty();
    }

    /** The event loop would count to it. */
    @Test
    @Timeout(value = 5, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void replicasThatHaveNoLineAreNotLookedFor() {
        assertThat(StoreNode.parse("a", "role:master\r\nconnected_slaves:2147483647\r\n")
                        .lags())
                .isEmpty();
    }
}
