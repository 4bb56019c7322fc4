package dev.sojourn.agent.it;

import java.nio.file.Path;
import java.util.List;

/** A server in whose JVM OpenTelemetry's agent is too: in front of ours on the first node, behind it on the next, and so on. */
final class BesideOpenTelemetry implements Server {
    /** Spans go into the node's log, nothing over a network. */
    private static final List<String> OPTIONS = List.of(
            "-javaagent:" + Pods.TARGET.resolve("opentelemetry-javaagent.jar"),
            "-Dotel.traces.exporter=logging",
            "-Dotel.metrics.exporter=none",
            "-Dotel.logs.exporter=none");

    private final Server server;
    private boolean inFront = true;

    BesideOpenTelemetry(Server server) {
        this.server = server;
    }

    @Override
    public void build(Path work) throws Exception {
        server.build(work);
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, Ports ports) throws Exception {
        ProcessBuilder builder = server.node(base, release, agent, ports);
        List<String> command = builder.command();
        int ours = command.indexOf(agent);
        command.addAll(inFront ? ours : ours + 1, OPTIONS);
        inFront = !inFront;
        return builder;
    }
}
