package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sojourn.operator.store.Address;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberTest {

    @Test
    void readsClusterNodes() {
        var members = Member.parse("""
                07c37d 10.244.1.4:6379@16379,shop-store-1.shop-store.web.svc slave e7d1ee 0 1426238317239 4 connected
                e7d1ee 10.244.1.3:6379@16379,shop-store-0.shop-store.web.svc myself,master - 0 0 1 connected 0-99 200 [93->-292f8b] [94-<-292f8b]
                292f8b 10.244.1.9:6379@16379 master,fail - 1 2 3 disconnected
                0a17ff fd00::9:6379@16379,shop-store-2.shop-store.web.svc master - 1 2 3 connected
                5be2c0 :0@0 slave,noaddr e7d1ee 1 2 3 disconnected
                """);
        assertThat(members)
                .extracting(Member::pod)
                .containsExactly("shop-store-1", "shop-store-0", "", "shop-store-2", "");
        assertThat(members.get(0).primaryId()).isEqualTo("e7d1ee");
        assertThat(members.get(1).isMyself()).isTrue();
        assertThat(members.get(1).slotCount()).isEqualTo(101);
        assertThat(members.get(1).migrating()).isEqualTo(Map.of(93, "292f8b"));
        assertThat(members.get(1).importing().get(94)).isTrue();
        assertThat(members.get(1).address()).isEqualTo(new Address("10.244.1.3", 6379));
        assertThat(members.get(2).isGone()).isTrue();
        assertThat(members.get(3).address()).isEqualTo(new Address("fd00::9", 6379));
        assertThat(members.get(4).isGone()).isTrue();
    }

    /** What is set in a set takes the memory of all below it. */
    @ParameterizedTest
    @ValueSource(strings = {"0-2147483646", "16384", "[16384-<-292f8b]", "[16384->-292f8b]"})
    void aSlotThatNoClusterHasIsRefused(String slots) {
        assertThatThrownBy(() -> Member.parse("e7d1ee 10.0.0.1:6379@16379 master - 0 0 1 connected " + slots))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a cluster has 16384");
    }

    @Test
    void membersWithoutNumberAreRefused() {
        assertThatThrownBy(() -> Member.parse("e 1:1@1 master - 0 0 1 connected 16383\n".repeat(1_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001 members");
    }
}
