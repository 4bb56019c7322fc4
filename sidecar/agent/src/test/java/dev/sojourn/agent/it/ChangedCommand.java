package dev.sojourn.agent.it;

import java.nio.file.Path;
import java.util.List;

/** A server whose nodes are started by another command. */
record ChangedCommand(Server server, Change change, boolean hasUnixSockets) implements Server {

    ChangedCommand(Server server, Change change) {
        this(server, change, true);
    }

    /** What becomes of the command of each node; {@code agent} is the argument that brings ours. */
    interface Change {
        void make(List<String> command, String agent);
    }

    @Override
    public void build(Path work) throws Exception {
        server.build(work);
    }

    @Override
    public String scheme() {
        return server.scheme();
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws Exception {
        ProcessBuilder builder = server.node(base, release, agent, port);
        change.make(builder.command(), agent);
        return builder;
    }
}
