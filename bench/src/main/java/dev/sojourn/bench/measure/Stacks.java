package dev.sojourn.bench.measure;

import java.util.List;

/** Samples of what took a JVM's CPU, one a line: frames from the outermost on, separated by semicolons, and how often. */
public record Stacks(List<String> lines) {
    private static final String AGENT = "dev/sojourn/agent/";

    /**
     * The agent's share, in percent: what it does itself or has the JDK and the kernel do. What the container does further inside, called by the agent
     * that passes a request on, is the container's.
     */
    public double agentPercent() {
        long agents =
                lines.stream().filter(Stacks::isAgents).mapToLong(Stacks::times).sum();
        return 100.0 * agents / samples();
    }

    public long samples() {
        return lines.stream().mapToLong(Stacks::times).sum();
    }

    private static long times(String line) {
        return Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
    }

    private static boolean isAgents(String line) {
        String[] frames = line.substring(0, line.lastIndexOf(' ')).split(";", -1);
        for (int i = frames.length - 1; i >= 0; i--) {
            if (isApplications(frames[i])) {
                return frames[i].startsWith(AGENT);
            }
        }
        return false;
    }

    /** Neither the JDK's nor the JVM's or the kernel's, whose names have no package. */
    private static boolean isApplications(String frame) {
        boolean jdks = frame.startsWith("java/") || frame.startsWith("jdk/") || frame.startsWith("sun/");
        return frame.indexOf('/') > 0 && !jdks;
    }
}
