package dev.sojourn.agent.it;

import java.util.List;

/** OpenTelemetry's agent is in the JVM too: in front of ours on the first node, behind it on the next, and so on. */
final class BesideOpenTelemetry implements ChangedCommand.Change {
    /** Spans go into the node's log, nothing over a network. */
    private static final List<String> OPTIONS = List.of(
            "-javaagent:" + Pods.TARGET.resolve("opentelemetry-javaagent.jar"),
            "-Dotel.traces.exporter=logging",
            "-Dotel.metrics.exporter=none",
            "-Dotel.logs.exporter=none");

    private boolean inFront = true;

    @Override
    public void make(List<String> command, String agent) {
        int ours = command.indexOf(agent);
        command.addAll(inFront ? ours : ours + 1, OPTIONS);
        inFront = !inFront;
    }
}
