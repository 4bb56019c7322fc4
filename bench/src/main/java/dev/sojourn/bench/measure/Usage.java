package dev.sojourn.bench.measure;

import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.server.Server;
import dev.sojourn.bench.server.SocketBytes;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a fleet has used so far.
 *
 * @param cpuMillis by kind of process
 * @param jitMillis what of that the JIT's threads took
 * @param traffic what its store counted
 * @param betweenNodes bytes that the nodes of a cluster got from each other; -1: not known
 */
record Usage(Map<String, Long> cpuMillis, long jitMillis, Store.Traffic traffic, long betweenNodes) {
    private static final Store.Traffic NONE = new Store.Traffic(0, 0, 0);

    static Usage of(Fleet fleet) throws IOException {
        Map<String, Long> cpu = new HashMap<>();
        long jit = 0;
        for (Map.Entry<String, List<Server>> kind : fleet.processes().entrySet()) {
            long sum = 0;
            for (Server server : kind.getValue()) {
                sum += server.cpuMillis();
                jit += server.jitMillis();
            }
            cpu.put(kind.getKey(), sum);
        }
        Store store = fleet.store();
        return new Usage(cpu, jit, store == null ? NONE : store.traffic(), SocketBytes.received(fleet.clusterPorts()));
    }

    Usage minus(Usage earlier) {
        Map<String, Long> cpu = new HashMap<>();
        cpuMillis.forEach((kind, millis) -> cpu.put(kind, millis - earlier.cpuMillis.getOrDefault(kind, 0L)));
        long bytes = betweenNodes < earlier.betweenNodes || earlier.betweenNodes < 0
                ? -1
                : betweenNodes - earlier.betweenNodes;
        return new Usage(cpu, jitMillis - earlier.jitMillis, traffic.minus(earlier.traffic), bytes);
    }

    long cpuSum() {
        return cpuMillis.values().stream().mapToLong(Long::longValue).sum();
    }

    static Map<String, Long> residentKib(Fleet fleet) throws IOException {
        Map<String, Long> resident = new HashMap<>();
        for (Map.Entry<String, List<Server>> kind : fleet.processes().entrySet()) {
            long sum = 0;
            for (Server server : kind.getValue()) {
                sum += server.residentKib();
            }
            resident.put(kind.getKey(), sum);
        }
        return resident;
    }
}
