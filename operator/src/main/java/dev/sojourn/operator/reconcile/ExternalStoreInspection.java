package dev.sojourn.operator.reconcile;

import dev.sojourn.operator.status.Finding;
import dev.sojourn.operator.status.Finding.Status;
import dev.sojourn.operator.status.StatusAggregator;
import dev.sojourn.operator.store.DroppedKeys;
import dev.sojourn.operator.store.ServerMemory;
import dev.sojourn.operator.store.StoreProbe;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Judges a store brought along: whether it answers, and how full those of its servers are that are named. Pure. */
final class ExternalStoreInspection {

    /** In per cent of maxmemory. */
    private static final int FILLING = 80;

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
        var dropping = servers.stream().filter(ServerMemory::droppedLately).toList();
        return dropping.stream()
                .findFirst()
                .map(first -> Finding.good(
                        StatusAggregator.STORE_FULL,
                        PodNames.of(dropping.stream().map(ServerMemory::server).toList())
                                + " dropped keys before their time within " + DroppedKeys.LATELY.toMinutes()
                                + " minutes, for want of memory" + byPolicy(first)
                                + ": users whose session is among them are logged out when they come to a pod that has"
                                + " no copy" + MEND));
    }

    /** What sidecars ask of it then is refused, and they say so; but there may be none yet. */
    private static Optional<Finding> refusing(List<ServerMemory> servers) {
        return fullest(servers)
                .filter(server -> server.refusesWhenFull() && percent(server) >= 100)
                .map(server -> Finding.good(
                        StatusAggregator.STORE_FULL,
                        server.server() + " is full and takes no changes" + byPolicy(server)
                                + ": each pod keeps the sessions that it holds to itself" + MEND));
    }

    private static Optional<Finding> filling(List<ServerMemory> servers) {
        return fullest(servers)
                .filter(server -> percent(server) >= FILLING)
                .map(server -> Finding.good(
                        "StoreFilling",
                        server.server() + " uses more than " + FILLING + " % of its maxmemory; when it is full, it "
                                + (server.refusesWhenFull() ? "takes no changes" : "drops keys before their time")
                                + byPolicy(server)
                                + (server.refusesWhenFull()
                                        ? ", and each pod keeps the sessions that it holds to itself"
                                        : "")
                                + MEND));
    }

    private static Optional<ServerMemory> fullest(List<ServerMemory> servers) {
        return servers.stream().max(Comparator.comparing(ExternalStoreInspection::percent));
    }

    private static int percent(ServerMemory server) {
        return server.percentUsed().orElse(0);
    }

    private static String byPolicy(ServerMemory server) {
        return server.policy().isEmpty() ? "" : " (maxmemory-policy " + server.policy() + ")";
    }
}
