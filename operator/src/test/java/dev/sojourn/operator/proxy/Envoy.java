package dev.sojourn.operator.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.sojourn.operator.FreePort;
import dev.sojourn.operator.api.SessionCluster;
import dev.sojourn.operator.config.IpFamily;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A real Envoy on the loopback, with what the operator renders: other directories and ports, or two tests would meet. */
final class Envoy implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** One for all that is asked: each has threads of its own, until it is collected. */
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** What its admin interface calls them. */
    private static final Map<String, String> FLAGS = Map.of(
            "DRAINING", "/eds_status_draining",
            "DEGRADED", "/degraded_eds_health",
            "UNHEALTHY", "/failed_eds_health");

    private final Path directory;
    private final IpFamily ipFamily;
    private final Map<Integer, Integer> ports;
    private final Process process;

    private Envoy(Path directory, IpFamily ipFamily, Map<Integer, Integer> ports, Process process) {
        this.directory = directory;
        this.ipFamily = ipFamily;
        this.ports = ports;
        this.process = process;
    }

    /** Starts it before these application ports of this machine, as in a cluster where this family comes first. */
    static Envoy start(
            Path directory, SessionCluster spec, ServerCertificate certificate, IpFamily ipFamily, int... applications)
            throws Exception {
        var ports = new LinkedHashMap<Integer, Integer>();
        for (var port : new int[] {
            EnvoyListener.ADMIN_PORT, EnvoyListener.HTTP_PORT, EnvoyListener.HTTPS_PORT, EnvoyListener.READY_PORT
        }) {
            ports.put(port, FreePort.take());
        }
        layOut(directory, spec, ipFamily, ports);
        putCertificate(directory, certificate);
        replace(
                directory.resolve("xds").resolve(EnvoyCluster.ENDPOINTS_FILE),
                endpoints(ipFamily, "HEALTHY", applications));
        var process = new ProcessBuilder(
                        binary().toString(),
                        "-c",
                        directory.resolve("config/envoy.yaml").toString(),
                        "--disable-hot-restart",
                        "--log-level",
                        "warning",
                        "--concurrency",
                        "2",
                        "--drain-time-s",
                        "1",
                        "--drain-strategy",
                        "immediate")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        var envoy = new Envoy(directory, ipFamily, ports, process);
        try {
            envoy.until(
                    "Envoy is live and its pods are healthy",
                    () -> envoy.admin("GET", "/ready").startsWith("LIVE")
                            && envoy.stat("cluster.app.membership_healthy") == applications.length);
            return envoy;
        } catch (Exception | AssertionError e) {
            envoy.close();
            throw e;
        }
    }

    /** The files of the pod, below this directory; ports as they are told apart here. */
    static void layOut(Path directory, SessionCluster spec, IpFamily ipFamily, Map<Integer, Integer> ports)
            throws IOException {
        for (var folder : new String[] {"config", "xds", "tls"}) {
            Files.createDirectories(directory.resolve(folder));
        }
        for (var file : ProxyConfigMap.files(spec, ipFamily).entrySet()) {
            replace(directory.resolve("config").resolve(file.getKey()), local(file.getValue(), directory, ports));
        }
        replace(directory.resolve("xds").resolve(EnvoyCluster.ENDPOINTS_FILE), endpoints(ipFamily, "HEALTHY"));
        putRoutes(directory, spec);
    }

    /** As the edge does it. */
    private static void putRoutes(Path directory, SessionCluster spec) throws IOException {
        replace(directory.resolve("xds").resolve(EnvoyRoutes.RDS_FILE), EnvoyRoutes.render(spec.getSpec()));
    }

    /** The routes where they are validated: Envoy looks into no discovery service then. */
    static void putRoutesInline(Path directory, SessionCluster spec) throws IOException {
        var file = directory.resolve("config/envoy.yaml");
        var yaml = new ObjectMapper(new YAMLFactory());
        var bootstrap = yaml.readTree(file.toFile());
        var routes = yaml.valueToTree(EnvoyRoutes.application(spec.getSpec()));
        bootstrap.findParents("rds").forEach(manager -> {
            ((ObjectNode) manager).remove("rds");
            ((ObjectNode) manager).set("route_config", routes);
        });
        yaml.writeValue(file.toFile(), bootstrap);
    }

    /** New routes, and with them new limits; returns when Envoy has them. */
    void route(SessionCluster spec) throws Exception {
        var before = stat("http.http.rds.app.config_reload");
        putRoutes(directory, spec);
        until("the routes are taken", () -> stat("http.http.rds.app.config_reload") > before);
    }

    private static String local(String text, Path directory, Map<Integer, Integer> ports) {
        var local = text.replace(
                        EnvoyCluster.ENDPOINTS_DIRECTORY,
                        directory.resolve("xds").toString())
                .replace(
                        EnvoyTls.CERTIFICATE_DIRECTORY, directory.resolve("tls").toString())
                .replace(EnvoyTls.CONFIG_DIRECTORY + "/", directory.resolve("config") + "/")
                .replace("path: " + EnvoyTls.CONFIG_DIRECTORY + "\n", "path: " + directory.resolve("config") + "\n")
                .replace("0.0.0.0", "127.0.0.1")
                // No test waits for a minute.
                .replace("min_timeout: " + EnvoyMemory.SHORTEST_IDLE, "min_timeout: 1s");
        for (var port : ports.entrySet()) {
            local = local.replace("port_value: " + port.getKey() + "\n", "port_value: " + port.getValue() + "\n");
        }
        return local;
    }

    /** As the edge writes it. */
    private static String endpoints(IpFamily ipFamily, String health, int... applications) {
        var loopback = ipFamily == IpFamily.IPv4 ? "127.0.0.1" : "::1";
        var endpoints = Arrays.stream(applications)
                .mapToObj(port -> """
                        {"endpoint":{"address":{"socket_address":{"address":"%s","port_value":%d}}},
                        "health_status":"%s"}""".formatted(loopback, port, port == applications[0] ? health : "HEALTHY"))
                .collect(Collectors.joining(","));
        return """
                {"resources":[{"@type":"type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
                "cluster_name":"app","endpoints":[{"lb_endpoints":[%s]}],"policy":{"overprovisioning_factor":100000}}]}""".formatted(endpoints);
    }

    /** The first of these is so, all others are well. */
    void first(String health, int... applications) throws Exception {
        replace(
                directory.resolve("xds").resolve(EnvoyCluster.ENDPOINTS_FILE),
                endpoints(ipFamily, health, applications));
        var flag = Objects.requireNonNull(FLAGS.get(health));
        until(
                "Envoy knows",
                () -> admin("GET", "/clusters")
                        .lines()
                        .anyMatch(line ->
                                line.contains(":" + applications[0] + "::health_flags::") && line.contains(flag)));
    }

    /** As the kubelet does it: both files are there, then the name leads to them. */
    static void putCertificate(Path directory, ServerCertificate certificate) throws IOException {
        var tls = directory.resolve("tls");
        var version = Files.createTempDirectory(tls, "..version-");
        Files.writeString(version.resolve(TlsSecret.CERTIFICATE), certificate.certificate());
        Files.writeString(version.resolve(TlsSecret.KEY), certificate.key());
        var link = Files.createSymbolicLink(tls.resolve("..data_tmp"), version.getFileName());
        Files.move(link, tls.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (var key : new String[] {TlsSecret.CERTIFICATE, TlsSecret.KEY}) {
            if (!Files.exists(tls.resolve(key))) {
                Files.createSymbolicLink(tls.resolve(key), Path.of("..data", key));
            }
        }
    }

    void rotate(ServerCertificate certificate) throws IOException {
        putCertificate(directory, certificate);
    }

    int port(int port) {
        return Objects.requireNonNull(ports.get(port));
    }

    Process process() {
        return process;
    }

    String log() throws IOException {
        return Files.readString(directory.resolve("log"));
    }

    /** What the admin interface answers. */
    String admin(String method, String path) throws Exception {
        var uri = URI.create("http://127.0.0.1:" + port(EnvoyListener.ADMIN_PORT) + path);
        var request = HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody());
        return HTTP.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString())
                .body();
    }

    long stat(String name) throws Exception {
        var pattern = "^" + name.replace(".", "\\.") + "$";
        var line = admin("GET", "/stats?filter=" + URLEncoder.encode(pattern, UTF_8));
        return line.contains(": ")
                ? Long.parseLong(line.substring(line.lastIndexOf(": ") + 2).trim())
                : 0;
    }

    /** Waits until it is so. */
    void until(String what, Callable<Boolean> condition) throws Exception {
        var deadline = System.nanoTime() + PATIENCE.toNanos();
        Exception last = null;
        while (System.nanoTime() < deadline && process.isAlive()) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (IOException e) {
                last = e;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        throw new AssertionError("in vain: " + what + "; Envoy said\n" + log(), last);
    }

    /** What is wrong with what the operator renders, in the words of Envoy's validation; empty: nothing. */
    static String validate(Path directory) throws IOException, InterruptedException {
        var process = new ProcessBuilder(
                        binary().toString(),
                        "--mode",
                        "validate",
                        "--log-level",
                        "warning",
                        "-c",
                        directory.resolve("config/envoy.yaml").toString())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0 && !output.contains("deprecated") ? "" : output;
    }

    private static Path binary() {
        var named = Stream.of(System.getProperty("sojourn.envoy"), System.getenv("SOJOURN_ENVOY"))
                .filter(path -> path != null && !path.isBlank())
                .map(Path::of);
        var onPath = Arrays.stream(System.getenv("PATH").split(":")).map(folder -> Path.of(folder, "envoy"));
        Optional<Path> found =
                Stream.concat(named, onPath).filter(Files::isExecutable).findFirst();
        assumeTrue(found.isPresent(), "no Envoy: set SOJOURN_ENVOY");
        return found.get();
    }

    private static void replace(Path file, String text) throws IOException {
        var next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, text);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
