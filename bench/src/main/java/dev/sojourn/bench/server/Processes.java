package dev.sojourn.bench.server;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Those that run, until all are stopped: then none is started any more, by whoever has not heard of it yet. */
final class Processes {
    private final Set<Process> alive = new HashSet<>();
    private boolean stopping;

    synchronized Process start(ProcessBuilder builder) throws IOException {
        if (stopping) {
            throw new IOException(
                    "the run is being stopped, " + builder.command().get(0) + " is not started");
        }
        Process process = builder.start();
        alive.add(process);
        return process;
    }

    void stop(Process process) {
        process.destroyForcibly().onExit().join();
        synchronized (this) {
            alive.remove(process);
        }
    }

    void stopAll() {
        List<Process> all;
        synchronized (this) {
            stopping = true;
            all = List.copyOf(alive);
        }
        all.forEach(Process::destroyForcibly);
        all.forEach(process -> process.onExit().join());
    }

    synchronized boolean isStopping() {
        return stopping;
    }
}
