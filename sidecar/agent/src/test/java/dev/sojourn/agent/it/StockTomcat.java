package dev.sojourn.agent.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** As downloaded: nothing in it is changed. */
final class StockTomcat implements Server {
    private static final String SERVER_XML = """
            <Server port="-1">
              <Service name="Catalina">
                <Connector port="%d" address="127.0.0.1" protocol="HTTP/1.1">
                  <UpgradeProtocol className="org.apache.coyote.http2.Http2Protocol"/>
                </Connector>
                <Connector port="%d" address="127.0.0.1" protocol="org.apache.coyote.http11.Http11Nio2Protocol"/>
                %s
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

    /** Two versions of one application are deployed side by side by their folders' names. */
    private static final List<String> CONTEXTS = List.of("app", "other", "par##1", "par##2");

    final Path home;
    private final boolean jakarta;
    private @Nullable Webapp webapp;

    StockTomcat(String version, boolean jakarta) {
        this.home = Pods.TARGET.resolve("tomcat-" + version).resolve("apache-tomcat-" + version);
        this.jakarta = jakarta;
    }

    @Override
    public void build(Path work) throws IOException {
        String api = home.resolve("lib/servlet-api.jar") + File.pathSeparator + home.resolve("lib/websocket-api.jar");
        webapp = new Webapp(api, jakarta, work);
    }

    @Override
    public ProcessBuilder node(Path base, Release release, String agent, Ports ports) throws IOException {
        for (String folder : List.of("conf", "logs", "temp", "work", "webapps")) {
            Files.createDirectories(base.resolve(folder));
        }
        Files.writeString(base.resolve("conf/server.xml"), SERVER_XML.formatted(ports.nio(), ports.nio2(), ""));
        Files.writeString(base.resolve("conf/tomcat-users.xml"), USERS_XML);
        if (webapp == null) {
            throw new IllegalStateException("not built");
        }
        for (String context : CONTEXTS) {
            webapp.deploy(base.resolve("webapps").resolve(context), release);
        }
        return new ProcessBuilder(
                Server.java(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
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
