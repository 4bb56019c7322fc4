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
        long all = 0;
        long agents = 0;
        for (String line : lines) {
            int space = line.lastIndexOf(' ');
            long times = Long.parseLong(line.substring(space + 1));
            all += times;
            agents += isAgents(line.substring(0, space)) ? times : 0;
        }
        return 100.0 * agents / all;
    }

    public long samples() {
        return lines.stream()
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static boolean isAgents(String stack) {
        String[] frames = stack.split(";", -1);
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
