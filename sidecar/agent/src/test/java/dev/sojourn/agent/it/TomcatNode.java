package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A stock Tomcat in a process of its own, with the agent as its only addition. */
final class TomcatNode implements AutoCloseable {
    private static final String SERVER_XML = """
            <Server port="-1">
              <Service name="Catalina">
                <Connector port="%d" address="127.0.0.1" protocol="HTTP/1.1"/>
                <Engine name="Catalina" defaultHost="localhost" backgroundProcessorDelay="1">
                  <Realm className="org.apache.catalina.realm.MemoryRealm"/>
                  <Host name="localhost" appBase="webapps" autoDeploy="false"/>
                </Engine>
              </Service>
            </Server>
            """;

    private static final String USERS_XML = """
            <tomcat-users><user username="ann" password="secret" roles="customer"/></tomcat-users>
            """;

    final String url;
    private final Child process;

    private TomcatNode(String url, Child process) {
        this.url = url;
        this.process = process;
    }

    /** Does not wait: several nodes start at once. */
    static TomcatNode start(Path tomcat, Path base, Webapp webapp, String without, String agent) throws IOException {
        int port = Child.freePort();
        for (String folder : List.of("conf", "logs", "temp", "work", "webapps")) {
            Files.createDirectories(base.resolve(folder));
        }
        Files.writeString(base.resolve("conf/server.xml"), SERVER_XML.formatted(port));
        Files.writeString(base.resolve("conf/tomcat-users.xml"), USERS_XML);
        webapp.deploy(base.resolve("webapps/app"), without);
        webapp.deploy(base.resolve("webapps/other"), without);
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("sojourn.java.home", ""), "bin/java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-javaagent:" + agentJar() + "=" + agent,
                "-Dcatalina.home=" + tomcat,
                "-Dcatalina.base=" + base,
                "-Djava.io.tmpdir=" + base.resolve("temp"),
                "-cp",
                tomcat.resolve("bin/bootstrap.jar") + File.pathSeparator + tomcat.resolve("bin/tomcat-juli.jar"),
                "org.apache.catalina.startup.Bootstrap",
                "start");
        return new TomcatNode("http://127.0.0.1:" + port, new Child(builder, base.resolve("logs/out.log")));
    }

    TomcatNode awaitStarted() throws Exception {
        Browser probe = new Browser();
        Eventually.holds("Tomcat answers, see " + process.log, Duration.ofSeconds(30), () -> {
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

    String logged() throws IOException {
        return process.logged();
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

    private static String agentJar() {
        String jar = System.getProperty("sojourn.agent", "");
        if (!new File(jar).isFile()) {
            throw new IllegalStateException("no agent at " + jar + ": run `mvn verify`, which packages it first");
        }
        return jar;
    }
}
