package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.DroppedKeys;
import dev.sojourn.operator.store.ServerMemory;
import dev.sojourn.operator.store.ServerMemory.Fullness;
import dev.sojourn.operator.store.StoreProbe;
import java.util.List;
import java.util.Optional;

/** Judges a store brought along: whether it answers, and how full those of its servers are that are named. Pure. */
final class ExternalStoreInspection {

    private static final String MEND = "; give it more memory (maxmemory), or shorten the session time-out";

    private ExternalStoreInspection() {}

    static Finding finding(StoreProbe.Result result) {
        return result.outcome() == StoreProbe.Outcome.StoreAnswers
                ? dropping(result.servers())
                        .or(() -> refusing(result.servers()))
                        .or(() -> filling(result.servers()))
                        .orElseGet(() -> Finding.good(result.outcome().name(), result.message()))
                : new Finding(Status.False, result.outcome().name(), result.message());
    }

    private static Optional<Finding> dropping(List<ServerMemory> servers) {
        return first(servers, Fullness.Drops)
                .map(first -> Finding.good(
                        StatusAggregator.STORE_FULL,
                        names(servers, Fullness.Drops)
                                + " dropped keys before their time within " + DroppedKeys.LATELY.toMinutes()
                                + " minutes, for want of memory" + byPolicy(first)
                                + ": users whose session is among them are logged out when they come to a pod that has"
                                + " no copy" + MEND));
    }

    /** What sidecars ask of it then is refused, and they say so; but there may be none yet. */
    private static Optional<Finding> refusing(List<ServerMemory> servers) {
        return first(servers, Fullness.Refuses)
                .map(first -> Finding.good(
                        StatusAggregator.STORE_FULL,
                        names(servers, Fullness.Refuses) + " reached its maxmemory within "
                                + DroppedKeys.LATELY.toMinutes() + " minutes, and takes no changes then"
                                + byPolicy(first)
                                + ": each pod keeps the sessions that it holds to itself" + MEND));
    }

    private static Optional<Finding> filling(List<ServerMemory> servers) {
        return first(servers, Fullness.Filling)
                .map(first -> Finding.good(
                        "StoreFilling",
                        names(servers, Fullness.Filling) + " used more than " + ServerMemory.FILLING
                                + " % of its maxmemory, and no less than " + ServerMemory.FILLING_ENDS
                                + " % since; when it is full, it "
                                + (first.refusesWhenFull() ? "takes no changes" : "drops keys before their time")
                                + byPolicy(first)
                                + (first.refusesWhenFull()
                                        ? ", and each pod keeps the sessions that it holds to itself"
                                        : "")
                                + MEND));
    }

    private static Optional<ServerMemory> first(List<ServerMemory> servers, Fullness fullness) {
        return servers.stream().filter(server -> server.fullness() == fullness).findFirst();
    }

    private static String names(List<ServerMemory> servers, Fullness fullness) {
        return PodNames.of(servers.stream()
                .filter(server -> server.fullness() == fullness)
                .map(ServerMemory::server)
                .toList());
    }

    private static String byPolicy(ServerMemory server) {
        return server.policy().isEmpty() ? "" : " (maxmemory-policy " + server.policy() + ")";
    }
}
