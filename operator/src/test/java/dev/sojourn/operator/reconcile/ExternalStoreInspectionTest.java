package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.ServerMemory;
import dev.sojourn.operator.store.ServerMemory.Fullness;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreProbe.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExternalStoreInspectionTest {

    @Test
    void oneWithRoomAnswers() {
        assertThat(finding()).isEqualTo(Finding.good("StoreAnswers", "it answers"));
        assertThat(finding(server("one", Fullness.Room, "volatile-lru"), server("two", Fullness.Room, "noeviction")))
                .isEqualTo(Finding.good("StoreAnswers", "it answers"));
    }

    @Test
    void whatItWillDoWhenItIsFullIsSaidByItsPolicy() {
        var drops = finding(server("one:6379", Fullness.Filling, "volatile-lru"));
        assertThat(drops.reason()).isEqualTo("StoreFilling");
        assertThat(drops.message())
                .startsWith(
                        "one:6379 used more than 80 % of its maxmemory, and no less than 75 % since; when it is full, it"
                                + " drops keys before their time (maxmemory-policy volatile-lru); ");
        var refuses = finding(server("one:6379", Fullness.Filling, "noeviction"));
        assertThat(refuses.reason()).isEqualTo("StoreFilling");
        assertThat(refuses.message()).contains("it takes no changes (maxmemory-policy noeviction), and each pod keeps");
    }

    @Test
    void oneThatDropsKeysIsFull() {
        var full = finding(
                server("one:6379", Fullness.Filling, "volatile-lru"),
                server("three:6379", Fullness.Refuses, "noeviction"),
                server("two:6379", Fullness.Drops, "volatile-lru"));
        assertThat(full.reason()).isEqualTo("StoreFull");
        assertThat(full.holds()).isTrue();
        assertThat(full.message())
                .startsWith(
                        "two:6379 dropped keys before their time within 15 minutes, for want of memory (maxmemory-policy");
    }

    @Test
    void oneThatRefusesIsFull() {
        var full = finding(
                server("one:6379", Fullness.Filling, "noeviction"), server("two:6379", Fullness.Refuses, "noeviction"));
        assertThat(full.reason()).isEqualTo("StoreFull");
        assertThat(full.message())
                .startsWith(
                        "two:6379 reached its maxmemory within 15 minutes, and takes no changes then (maxmemory-policy");
    }

    @Test
    void oneThatDoesNotAnswerIsNotSaidToBeFull() {
        var result = new StoreProbe.Result(
                Outcome.StoreUnreachable, "away", 0, List.of(server("one", Fullness.Drops, "volatile-lru")));
        assertThat(ExternalStoreInspection.finding(result)).isEqualTo(Finding.bad("StoreUnreachable", "away"));
    }

    private static Finding finding(ServerMemory... servers) {
        return ExternalStoreInspection.finding(
                new StoreProbe.Result(Outcome.StoreAnswers, "it answers", 0, List.of(servers)));
    }

    private static ServerMemory server(String name, Fullness fullness, String policy) {
        return new ServerMemory(name, policy, fullness, 0L);
    }
}
