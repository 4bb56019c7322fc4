package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** A Tomcat in a process of its own, with the agent as its only addition. */
final class TomcatNode implements AutoCloseable {
    final String url;
    private final Child process;

    private TomcatNode(String url, Child process) {
        this.url = url;
        this.process = process;
    }

    /** Does not wait: several nodes start at once. */
    static TomcatNode start(Server server, Path base, Release release, String agent) throws Exception {
        int port = Ports.freePort();
        ProcessBuilder builder = server.node(base, release, "-javaagent:" + agentJar() + "=" + agent, port);
        return new TomcatNode(
                server.scheme() + "://127.0.0.1:" + port, new Child(builder, base.resolve("logs/out.log")));
    }

    boolean isSecure() {
        return url.startsWith("https:");
    }

    TomcatNode awaitStarted() throws Exception {
        Browser probe = new Browser();
        Eventually.holds("Tomcat answers, see " + process.log, Duration.ofSeconds(180), () -> {
            if (!process.isAlive()) {
                throw new AssertionError("Tomcat ended: " + process.logged());
            }
            try {
                return probe.get(this, "op=stateless").equals("ok");
            } catch (IOException e) {
                return false;
            }
        });
        return this;
    }

    long pid() {
        return process.pid();
    }

    String logged() throws IOException {
        return process.logged();
    }

    /** What each of its threads is at. */
    String threads() throws Exception {
        Path jcmd = Path.of(Server.java()).resolveSibling("jcmd");
        Process dump = new ProcessBuilder(jcmd.toString(), "" + pid(), "Thread.print")
                .redirectErrorStream(true)
                .start();
        return Browser.read(dump.getInputStream());
    }

    /** The whole JVM, as a machine that stands still would. */
    void pause() throws Exception {
        process.pause();
    }

    void resume() throws Exception {
        process.resume();
    }

    void terminate() {
        process.terminate();
    }

    int exit(long seconds) throws InterruptedException {
        return process.exit(seconds);
    }

    @Override
    public void close() throws InterruptedException {
        process.close();
    }

    static String agentJar() {
        String jar = System.getProperty("sojourn.agent", "");
        if (!new File(jar).isFile()) {
            throw new IllegalStateException("no agent at " + jar + ": run `mvn verify`, which packages it first");
        }
        return jar;
    }
}
