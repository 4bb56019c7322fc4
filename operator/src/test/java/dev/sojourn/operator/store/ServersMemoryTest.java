package dev.sojourn.operator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.store.ServerMemory.Fullness;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ServersMemoryTest {

    private static final String SERVER = "store:6379";

    private final ServersMemory servers = new ServersMemory();
    private Instant now = Instant.EPOCH;

    /** One that is just at a limit would change the status, and tell an event, every ten seconds. */
    @Test
    void whatFillsDoesSoUntilItIsWellBelow() {
        look(79, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Room);
        look(80, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Filling);
        look(75, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Filling);
        look(74, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Room);
        look(79, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Room);
    }

    @Test
    void whatWasFullIsForAsLongAsWhatDropped() {
        look(100, "noeviction");
        assertThat(fullness()).isEqualTo(Fullness.Refuses);
        for (var until = now.plus(DroppedKeys.LATELY); now.plusSeconds(10).isBefore(until); ) {
            look(99, "noeviction");
            assertThat(fullness()).isEqualTo(Fullness.Refuses);
        }
        look(99, "noeviction");
        assertThat(fullness()).isEqualTo(Fullness.Filling);
    }

    /** What uses more than its limit and drops nothing yet is about to. */
    @Test
    void whatDoesNotRefuseIsNotFullAtItsLimit() {
        look(101, "volatile-lru");
        assertThat(fullness()).isEqualTo(Fullness.Filling);
        look(100, "noeviction");
        assertThat(fullness()).isEqualTo(Fullness.Refuses);
        look(60, "volatile-lru");
        assertThat(fullness()).as("its policy was changed").isEqualTo(Fullness.Room);
    }

    /** Two behind one address, by turns. */
    @Test
    void withoutARunIdNothingIsCounted() {
        for (int n = 0; n < 12; n++) {
            look(81, "allkeys-lru", "evicted_keys:" + (n % 2 == 0 ? 5000 : 0));
        }
        assertThat(fullness()).isEqualTo(Fullness.Filling);
        assertThat(server().dropped()).isNull();
    }

    @Test
    void whoDropsIsKnownByItsRunId() {
        look(81, "allkeys-lru", "run_id:a\nevicted_keys:5000");
        look(81, "allkeys-lru", "run_id:b\nevicted_keys:0");
        look(81, "allkeys-lru", "run_id:a\nevicted_keys:5000");
        assertThat(fullness()).isEqualTo(Fullness.Filling);
        assertThat(server().dropped()).isZero();
        look(81, "allkeys-lru", "run_id:b\nevicted_keys:2");
        assertThat(fullness()).isEqualTo(Fullness.Drops);
        assertThat(server().dropped()).isEqualTo(2);
    }

    private void look(int percent, String policy) {
        look(percent, policy, "run_id:a\nevicted_keys:0");
    }

    private void look(int percent, String policy, String counts) {
        now = now.plus(Duration.ofSeconds(10));
        servers.look(
                SERVER,
                "10.0.0.9:6379",
                Info.parse("maxmemory:100\nused_memory:" + percent + "\nmaxmemory_policy:" + policy + "\n" + counts),
                now);
    }

    private Fullness fullness() {
        return server().fullness();
    }

    private ServerMemory server() {
        assertThat(servers.servers(now)).hasSize(1);
        return servers.servers(now).get(0);
    }
}
