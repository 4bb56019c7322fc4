package dev.sojourn.bench.measure;

import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.server.Server;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a fleet has used so far: CPU by kind of process, and what its store counted. */
record Usage(Map<String, Long> cpuMillis, Store.Traffic traffic) {
    private static final Store.Traffic NONE = new Store.Traffic(0, 0, 0);

    static Usage of(Fleet fleet) throws IOException {
        Map<String, Long> cpu = new HashMap<>();
        for (Map.Entry<String, List<Server>> kind : fleet.processes().entrySet()) {
            long sum = 0;
            for (Server server : kind.getValue()) {
                sum += server.cpuMillis();
            }
            cpu.put(kind.getKey(), sum);
        }
        Store store = fleet.store();
        return new Usage(cpu, store == null ? NONE : store.traffic());
    }

    Usage minus(Usage earlier) {
        Map<String, Long> cpu = new HashMap<>();
        cpuMillis.forEach((kind, millis) -> cpu.put(kind, millis - earlier.cpuMillis.getOrDefault(kind, 0L)));
        return new Usage(cpu, traffic.minus(earlier.traffic));
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
