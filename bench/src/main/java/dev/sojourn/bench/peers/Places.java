package dev.sojourn.bench.peers;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where what is measured lies in the source tree. */
public record Places(Path top, Path daemon) {
    public Places {
        require(daemon, "make build-daemon");
        require(top.resolve("sidecar/agent/target/sojourn-agent.jar"), "make build-java");
        require(top.resolve("bench/target/peers/tomcat"), "./mvnw -f bench/peers/pom.xml package");
    }

    private static void require(Path path, String mend) {
        if (!Files.exists(path)) {
            throw new IllegalStateException("there is no " + path + ": run '" + mend + "'");
        }
    }

    Path agent() {
        return top.resolve("sidecar/agent/target/sojourn-agent.jar");
    }

    Path tomcat(Tomcat tomcat) {
        return top.resolve("bench/target/peers/tomcat/apache-tomcat-" + tomcat.version);
    }

    /** What a peer's own pom resolved. */
    Path jars(String folder) {
        return top.resolve("bench/target/peers").resolve(folder);
    }

    Path configuration(String folder) {
        return top.resolve("bench/peers").resolve(folder);
    }

    Path sources() {
        return top.resolve("bench/src/main/java");
    }

    Path classes() {
        return top.resolve("bench/target/classes");
    }

    /** {@code SOJOURN_ENVOY}, else the one on the {@code PATH}. */
    String envoy() {
        return System.getenv().getOrDefault("SOJOURN_ENVOY", "envoy");
    }

    public Path results() {
        return top.resolve("bench/target/results");
    }
}
