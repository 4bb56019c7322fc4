package dev.sojourn.agent.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A Tomcat with Redisson's session manager, set up as its documentation says. */
final class RedissonTomcat implements Server {
    private static final String CONTEXT = """
            <Context>
              <Manager className="org.redisson.tomcat.RedissonSessionManager"
                  configPath="${catalina.base}/conf/redisson.yaml" readMode="REDIS" updateMode="DEFAULT"/>
            </Context>
            """;
    private static final String REDISSON = """
            singleServerConfig:
              address: "redis://127.0.0.1:%d"
            codec: !<org.redisson.codec.SerializationCodec> {}
            """;

    private final StockTomcat tomcat = new StockTomcat("10.1.54", true);
    private int store;

    /** The port of the one that it keeps its sessions in. */
    void store(int port) {
        store = port;
    }

    @Override
    public void build(Path work) throws IOException {
        tomcat.build(work);
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws IOException {
        ProcessBuilder builder = tomcat.node(base, release, agent, port);
        Files.writeString(base.resolve("conf/context.xml"), CONTEXT);
        Files.writeString(base.resolve("conf/redisson.yaml"), REDISSON.formatted(store));
        Path lib = Files.createDirectories(base.resolve("lib"));
        try (Stream<Path> jars = Files.list(Pods.TARGET.resolve("redisson"))) {
            for (Path jar : jars.toList()) {
                Files.copy(jar, lib.resolve(jar.getFileName()));
            }
        }
        return builder;
    }
}
