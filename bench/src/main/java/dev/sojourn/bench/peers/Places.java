package dev.sojourn.bench.peers;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where what is measured lies in the source tree. */
public record Places(Path top, Path daemon) {
    private static final Path AGENT = Path.of("sidecar/agent/target/sojourn-agent.jar");

    public Places {
        require(daemon, "run 'make build-daemon'");
        require(top.resolve(AGENT), "run 'make build-java'");
        require(top.resolve("bench/target/peers/tomcat"), "run './mvnw -f bench/peers/pom.xml package'");
    }

    private static void require(Path path, String mend) {
        if (!Files.exists(path)) {
            throw new IllegalStateException("there is no " + path + ": " + mend);
        }
    }

    Path agent(Variant variant) {
        return variant == Variant.SOJOURN_BEFORE ? before("sojourn-agent.jar") : top.resolve(AGENT);
    }

    Path daemon(Variant variant) {
        return variant == Variant.SOJOURN_BEFORE ? before("sojournd") : daemon;
    }

    /** {@code BEFORE} names the folder of another build's daemon and agent. */
    private static Path before(String file) {
        Path path = Path.of(System.getenv().getOrDefault("BEFORE", "")).resolve(file);
        require(path, "BEFORE is to be a folder with another build's sojournd and sojourn-agent.jar");
        return path;
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
