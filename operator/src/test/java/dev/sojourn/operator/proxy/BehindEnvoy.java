package dev.sojourn.operator.proxy;

import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A real Envoy with what the operator renders, an application behind it, and connections that the tests hold in their hands. */
abstract class BehindEnvoy {

    private final ServerCertificate first = ServerCertificate.make(ServerCertificate.Kind.EC, "first");

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway.Init") // before each test
    Application application;

    @SuppressWarnings("NullAway.Init") // each test starts one
    Envoy envoy;

    @BeforeEach
    void startApplication() throws IOException {
        application = new Application();
    }

    @AfterEach
    void stop() throws Exception {
        // Null where Envoy could not be started.
        if (Optional.ofNullable(envoy).isPresent()) {
            envoy.close();
        }
        application.close();
    }

    void start(String proxy) throws Exception {
        start(with(proxy), application.port());
    }

    void start(SessionCluster sessionCluster, int... applications) throws Exception {
        start(sessionCluster, IpFamily.IPv4, applications);
    }

    void start(SessionCluster sessionCluster, IpFamily ipFamily, int... applications) throws Exception {
        envoy = Envoy.start(directory, sessionCluster, first, ipFamily, applications);
    }

    static SessionCluster with(String proxy) {
        return with(proxy, "Immediate");
    }

    static SessionCluster with(String proxy, String drain) {
        return Serialization.unmarshal(
                "---\n{metadata: {name: web, namespace: shop}, spec: {workload: {name: web}, port: 8080, drain: {mode: "
                        + drain + "}, proxy: " + proxy + "}}",
                SessionCluster.class);
    }

    int http() {
        return envoy.port(EnvoyListener.HTTP_PORT);
    }

    int https() {
        return envoy.port(EnvoyListener.HTTPS_PORT);
    }
}
