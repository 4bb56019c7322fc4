package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** As downloaded: nothing in it is changed. With a valve that fails once Tomcat has stopped it. */
final class StockTomcat implements Server {
    private static final String SERVER_XML = """
            <Server port="-1">
              %s
              <Service name="Catalina">
                %s
                <Engine name="Catalina" defaultHost="localhost" backgroundProcessorDelay="1">
                  <Valve className="org.apache.catalina.valves.SemaphoreValve" concurrency="1000"/>
                  <Realm className="org.apache.catalina.realm.MemoryRealm"/>
                  <Host name="localhost" appBase="webapps" autoDeploy="false">
                    <Valve className="org.apache.catalina.valves.AccessLogValve" directory="logs" prefix="access"
                        buffered="false" pattern="%%t &quot;%%r&quot; %%s %%{Upgrade}i %%{Connection}i %%I"/>
                    %s
                  </Host>
                </Engine>
              </Service>
            </Server>
            """;

    private static final String USERS_XML = """
            <tomcat-users><user username="ann" password="secret" roles="customer"/></tomcat-users>
            """;

    private static final String APR_LISTENER =
            "<Listener className=\"org.apache.catalina.core.AprLifecycleListener\"/>";
    /** Two versions of one application are deployed side by side by their folders' names. */
    private List<String> contexts = List.of("app", "other", "par##1", "par##2");

    final Path home;
    private final boolean jakarta;
    private final Connector connector;
    private final String inHost;
    private boolean distributable;
    private @Nullable Webapp webapp;

    StockTomcat(String version, boolean jakarta) {
        this(version, jakarta, Connector.NIO);
    }

    StockTomcat(String version, boolean jakarta, Connector connector) {
        this(version, jakarta, connector, "");
    }

    /** {@code inHost}: more of server.xml. */
    StockTomcat(String version, boolean jakarta, Connector connector, String inHost) {
        this.inHost = inHost;
        this.connector = connector;
        this.home = Pods.TARGET.resolve("tomcat-" + version).resolve("apache-tomcat-" + version);
        this.jakarta = jakarta;
    }

    /** The applications say that their sessions may be replicated, which Tomcat's own cluster wants to read. */
    StockTomcat distributable() {
        distributable = true;
        return this;
    }

    /** What the nodes that are started from now on deploy. */
    void contexts(String... names) {
        contexts = List.of(names);
    }

    @Override
    public void build(Path work) throws IOException {
        // Two jars from 10.1 on, one before.
        String api = Stream.of("servlet-api.jar", "websocket-api.jar", "websocket-client-api.jar")
                .map(name -> home.resolve("lib").resolve(name).toString())
                .collect(Collectors.joining(File.pathSeparator));
        webapp = new Webapp(api, jakarta, work);
    }

    @Override
    public String scheme() {
        return connector.scheme;
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, int port) throws IOException {
        for (String folder : List.of("conf", "logs", "temp", "work", "webapps")) {
            Files.createDirectories(base.resolve(folder));
        }
        String server =
                SERVER_XML.formatted(connector == Connector.APR ? APR_LISTENER : "", connector.xml(port), inHost);
        Files.writeString(base.resolve("conf/server.xml"), server);
        Files.writeString(base.resolve("conf/tomcat-users.xml"), USERS_XML);
        if (webapp == null) {
            throw new IllegalStateException("not built");
        }
        for (String context : contexts) {
            webapp.deploy(base.resolve("webapps").resolve(context), release, distributable);
        }
        return new ProcessBuilder(
                Server.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                // Without it a Tomcat that could not bind its port runs on, and another server is asked in its place.
                "-Dorg.apache.catalina.startup.EXIT_ON_INIT_FAILURE=true",
                agent,
                "-Dcatalina.home=" + home,
                "-Dcatalina.base=" + base,
                "-Djava.io.tmpdir=" + base.resolve("temp"),
                "-cp",
                home.resolve("bin/bootstrap.jar") + File.pathSeparator + home.resolve("bin/tomcat-juli.jar"),
                "org.apache.catalina.startup.Bootstrap",
                "start");
    }
}
