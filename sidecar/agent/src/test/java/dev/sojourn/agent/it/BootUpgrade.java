package dev.sojourn.agent.it;

import java.nio.file.Path;

/** The test's application while its Spring Boot is upgraded: the pods of this release have the one version, those of the next the other. */
final class BootUpgrade implements Server {
    private final BootJar from;
    private final BootJar to;

    BootUpgrade(BootJar from, BootJar to) {
        this.from = from;
        this.to = to;
    }

    @Override
    public void build(Path work) throws Exception {
        from.build(work.resolve("from"));
        to.build(work.resolve("to"));
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws Exception {
        return (release == Release.THIS ? from : to).node(base, Release.THIS, agent, port);
    }
}
