package dev.sojourn.operator.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.api.ManagedStoreSpec;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.store.StoreConnections;
import dev.sojourn.operator.store.StoreConnections.Login;
import dev.sojourn.operator.store.StoreLook;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of servers that are seen and do not do what they are told. */
class ShardStewardTest {

    private static final SessionCluster SHOP = Serialization.unmarshal("""
            apiVersion: sojourn.dev/v1alpha1
            kind: SessionCluster
            metadata: {name: shop, namespace: shop}
            spec: {workload: {name: shop}, port: 8080, store: {managed: {topology: Sharded}}}
            """, SessionCluster.class);

    private static final ManagedStoreSpec SHARDED =
            new ManagedStoreSpec(Topology.Sharded, null, null, null, null, null, null, null, null);

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void end() {
        vertx.close();
    }

    @Test
    void anHeirThatIsToBePromotedIsNamed() throws IOException {
        var steward = new ShardSteward(new StoreConnections(vertx));
        var report = steward.tend(SHOP, SHARDED, new Login("system", "x"), afterTwoPrimariesCameBackEmpty());
        assertThat(report.next()).hasValueSatisfying(next -> assertThat(next).contains("shop-store-3", "primary"));
        assertThat(report.trouble())
                .hasValueSatisfying(trouble -> assertThat(trouble).contains("shop-store-3"));
        assertThat(steward.lastReport(SHOP)).hasValue(report);
        assertThat(report.unserved()).as("slots of those that are gone").isEqualTo(10_923);
    }

    /** Pods 0 and 1 are there again, as somebody else; 3 and 4 have what they had. */
    private static StoreLook afterTwoPrimariesCameBackEmpty() throws IOException {
        var port = FreePort.take();
        var members = List.of(
                line('a', port, 0, "master,fail", '-', "0-5460"),
                line('b', port, 1, "master,fail", '-', "5461-10922"),
                line('c', port, 2, "master", '-', "10923-16383"),
                line('d', port, 3, "slave", 'a', ""),
                line('e', port, 4, "slave", 'b', ""),
                line('f', port, 5, "slave", 'c', ""),
                line('1', port, 0, "master", '-', ""),
                line('2', port, 1, "master", '-', ""));
        var views = IntStream.range(2, members.size())
                .mapToObj(self -> String.join(
                        "\n",
                        IntStream.range(0, members.size())
                                .mapToObj(i -> i == self
                                        ? members.get(i).replaceFirst("(master|slave)", "myself,$1")
                                        : members.get(i))
                                .toList()))
                .toList();
        return new StoreLook(List.of(), Set.of(), views, Map.of());
    }

    private static String line(char id, int port, int pod, String flags, char primary, String slots) {
        return id(id) + " 127.0.0.1:" + port + "@1,shop-store-" + pod + ".shop-store " + flags + " " + id(primary)
                + " 0 0 1 connected " + slots;
    }

    private static String id(char digit) {
        return digit == '-' ? "-" : String.valueOf(digit).repeat(40);
    }
}
