package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShardViewTest {

    @Test
    void slotsThatTheOthersHaveNotHeardOfYetAreServed() {
        var view = new ShardView(List.of(Member.parse("""
                        aa 10.0.0.1:6379@16379,shop-store-0.shop-store.web.svc myself,master - 0 0 1 connected 0-8191
                        bb 10.0.0.2:6379@16379,shop-store-1.shop-store.web.svc master - 0 0 2 connected
                        """), Member.parse("""
                        aa 10.0.0.1:6379@16379,shop-store-0.shop-store.web.svc master - 0 0 1 connected
                        bb 10.0.0.2:6379@16379,shop-store-1.shop-store.web.svc myself,master - 0 0 2 connected 8192-16383
                        """)), Map.of());
        assertThat(view.unserved().isEmpty()).isTrue();
        assertThat(view.members()).extracting(Member::slotCount).containsExactly(8192, 8192);
    }

    @Test
    void whoDoesNotKnowYetThatAnotherTookOverIsNotBelieved() {
        var view = new ShardView(List.of(Member.parse("""
                        aa 10.0.0.1:6379@16379,shop-store-0.shop-store.web.svc myself,master - 0 0 1 connected 0-16383
                        """), Member.parse("""
                        aa 10.0.0.1:6379@16379,shop-store-0.shop-store.web.svc master - 0 0 1 connected
                        bb 10.0.0.2:6379@16379,shop-store-1.shop-store.web.svc myself,master - 0 0 2 connected 0-16383
                        """)), Map.of());
        assertThat(view.members()).extracting(Member::slotCount).containsExactly(0, 16_384);
    }
}
