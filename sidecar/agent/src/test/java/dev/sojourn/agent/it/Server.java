package dev.sojourn.agent.it;

import java.nio.file.Path;

/** A kind of servlet container with the test's application in it. */
interface Server {
    /** Compiles the application; {@code work} is a folder of this server's own. */
    void build(Path work) throws Exception;

    /**
     * What starts a node, prepared in {@code base}.
     *
     * @param agent the value of the agent's option
     * @param port where it is to listen
     */
    ProcessBuilder node(Path base, Release release, String agent, int port) throws Exception;

    /** Of its addresses. */
    default String scheme() {
        return "http";
    }

    /** Whether the JVM of its nodes has them: else they come to the sidecar by loopback TCP. */
    default boolean hasUnixSockets() {
        return true;
    }

    static String java() {
        return Path.of(System.getProperty("sojourn.java.home", ""), "bin/java").toString();
    }
}
