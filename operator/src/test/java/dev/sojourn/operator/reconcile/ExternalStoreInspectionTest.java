package dev.sojourn.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.store.ServerMemory;
import dev.sojourn.operator.store.StoreProbe;
import dev.sojourn.operator.store.StoreProbe.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExternalStoreInspectionTest {

    @Test
    void oneWithRoomAnswers() {
        assertThat(finding()).isEqualTo(Finding.good("StoreAnswers", "it answers"));
        assertThat(finding(server("one", 79, 100, "volatile-lru", false), server("two", 900, 0, "noeviction", false)))
                .isEqualTo(Finding.good("StoreAnswers", "it answers"));
    }

    @Test
    void whatItWillDoWhenItIsFullIsSaidByItsPolicy() {
        var drops = finding(server("one:6379", 80, 100, "volatile-lru", false));
        assertThat(drops.reason()).isEqualTo("StoreFilling");
        assertThat(drops.message())
                .startsWith(
                        "one:6379 uses more than 80 % of its maxmemory; when it is full, it drops keys before their time"
                                + " (maxmemory-policy volatile-lru); ");
        var refuses = finding(server("one:6379", 80, 100, "noeviction", false));
        assertThat(refuses.reason()).isEqualTo("StoreFilling");
        assertThat(refuses.message()).contains("it takes no changes (maxmemory-policy noeviction), and each pod keeps");
    }

    @Test
    void oneThatDropsKeysIsFull() {
        var full = finding(
                server("one:6379", 85, 100, "volatile-lru", false), server("two:6379", 99, 100, "volatile-lru", true));
        assertThat(full.reason()).isEqualTo("StoreFull");
        assertThat(full.holds()).isTrue();
        assertThat(full.message())
                .startsWith(
                        "two:6379 dropped keys before their time within 15 minutes, for want of memory (maxmemory-policy");
    }

    /** What uses more than its limit and drops nothing yet is about to. */
    @Test
    void oneThatRefusesIsFullAtItsLimit() {
        assertThat(finding(server("one", 100, 100, "noeviction", false)).reason())
                .isEqualTo("StoreFull");
        assertThat(finding(server("one", 100, 100, "volatile-lru", false)).reason())
                .isEqualTo("StoreFilling");
    }

    @Test
    void oneThatDoesNotAnswerIsNotSaidToBeFull() {
        var result = new StoreProbe.Result(
                Outcome.StoreUnreachable, "away", 0, List.of(server("one", 99, 100, "volatile-lru", true)));
        assertThat(ExternalStoreInspection.finding(result)).isEqualTo(Finding.bad("StoreUnreachable", "away"));
    }

    private static Finding finding(ServerMemory... servers) {
        return ExternalStoreInspection.finding(
                new StoreProbe.Result(Outcome.StoreAnswers, "it answers", 0, List.of(servers)));
    }

    private static ServerMemory server(String name, long used, long limit, String policy, boolean dropping) {
        return new ServerMemory(name, used, limit, policy, dropping ? 1 : 0, dropping);
    }
}
