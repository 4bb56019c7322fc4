package dev.sojourn.bench.peers;

import dev.sojourn.bench.server.Scratch;
import dev.sojourn.bench.server.Server;
import dev.sojourn.bench.server.Sidecar;
import dev.sojourn.bench.server.Store;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** All servers that one variant needs: so many Tomcats, a store, a daemon for each node. */
public final class Fleet implements AutoCloseable {
    private static final String APR_LISTENER =
            "<Listener className=\"org.apache.catalina.core.AprLifecycleListener\"/>";

    private final Variant variant;
    private final Tomcat tomcat;
    private final Places places;
    private final Path folder;
    private final List<Node> nodes = new ArrayList<>();
    private final List<Sidecar> daemons = new ArrayList<>();
    private final List<Integer> clusterPorts = new ArrayList<>();
    private @Nullable Store store;

    private Fleet(Variant variant, Tomcat tomcat, Places places, Path folder) {
        this.variant = variant;
        this.tomcat = tomcat;
        this.places = places;
        this.folder = folder;
    }

    /** @param properties system properties of the Tomcats that are not the default */
    public static Fleet start(
            Variant variant, int nodes, Places places, Scratch scratch, Map<String, String> properties)
            throws IOException, InterruptedException {
        return start(variant, variant.tomcat(), nodes, places, scratch, properties);
    }

    /** The same on another Tomcat than usual. */
    public static Fleet start(
            Variant variant, Tomcat tomcat, int nodes, Places places, Scratch scratch, Map<String, String> properties)
            throws IOException, InterruptedException {
        var fleet = new Fleet(variant, tomcat, places, scratch.folder(variant.key()));
        try {
            fleet.start(nodes, properties);
            return fleet;
        } catch (IOException | InterruptedException | RuntimeException e) {
            fleet.close();
            throw e;
        }
    }

    private void start(int count, Map<String, String> properties) throws IOException, InterruptedException {
        if (variant.hasStore()) {
            store = Store.start(folder);
        }
        for (int i = 0; i < count; i++) {
            clusterPorts.add(Server.freePort());
        }
        for (int i = 0; i < count; i++) {
            startNode(i, properties);
            if (variant.cluster()) {
                // Who starts asks another for its sessions, and waits a minute (stateTransferTimeout) for one that
                // listens already and has no application yet.
                nodes.get(i).awaitReady();
            }
        }
        for (Node node : nodes) {
            node.awaitReady();
        }
    }

    private void startNode(int index, Map<String, String> properties) throws IOException, InterruptedException {
        Path base = folder.resolve("node" + index);
        new Application(places).deploy(variant, tomcat, base.resolve("webapps/app"));
        configure(base, index, properties.containsKey("tls.keystore"));
        List<String> options = new ArrayList<>();
        Map<String, String> environment = new HashMap<>();
        Map<String, String> all = new HashMap<>(Map.of("http.protocol", "HTTP/1.1", "http.threads", "200"));
        all.put("cluster.port", String.valueOf(clusterPorts.get(index)));
        if (store != null) {
            all.put("store.port", String.valueOf(store.port()));
            environment.put("STORE_PORT", String.valueOf(store.port()));
        }
        if (variant.sojourn() && store != null) {
            Sidecar daemon = Sidecar.start(places.daemon(variant), folder, store, variant.settings);
            daemons.add(daemon);
            options.add("-javaagent:" + places.agent(variant) + "=socket=" + daemon.socket());
        } else {
            all.putAll(variant.settings);
        }
        all.putAll(properties);
        all.forEach((key, value) -> options.add("-D" + key + "=" + value));
        nodes.add(Node.start(places.tomcat(tomcat), base, options, environment));
    }

    private void configure(Path base, int index, boolean connectors) throws IOException {
        Path conf = Files.createDirectories(base.resolve("conf"));
        Path common = places.configuration("common").resolve("conf");
        Path own = places.configuration(variant.folder).resolve("conf");
        for (String file : List.of("context.xml", "redisson.yaml")) {
            Path from = Files.exists(own.resolve(file)) ? own.resolve(file) : common.resolve(file);
            if (Files.exists(from)) {
                Files.copy(from, conf.resolve(file));
            }
        }
        if (variant.cluster()) {
            // A manager named there would be used instead of the cluster's.
            Files.writeString(conf.resolve("context.xml"), "<Context/>");
        }
        String cluster = Files.exists(own.resolve("cluster.xml"))
                ? Files.readString(own.resolve("cluster.xml")).replace("<!-- members -->", members(index, clusterPorts))
                : "";
        Files.writeString(
                conf.resolve("server.xml"),
                Files.readString(common.resolve("server.xml"))
                        .replace("<!-- cluster -->", cluster)
                        .replace("<!-- listeners -->", connectors && tomcat.javax() ? APR_LISTENER : "")
                        .replace(
                                "<!-- connectors -->",
                                connectors ? Files.readString(common.resolve(connectors())) : ""));
        Path jars = places.jars(variant.folder);
        if (Files.exists(jars)
                && !Files.exists(places.configuration(variant.folder).resolve("app"))) {
            Scratch.copy(jars, base.resolve("lib"));
        }
    }

    private String connectors() {
        return tomcat.javax() ? "connectors-apr.xml" : "connectors.xml";
    }

    private static String members(int self, List<Integer> ports) {
        StringBuilder xml = new StringBuilder();
        for (int i = 0; i < ports.size(); i++) {
            xml.append(
                            "<%s className=\"org.apache.catalina.tribes.membership.StaticMember\" host=\"127.0.0.1\" port=\"%d\" "
                                    .formatted(i == self ? "LocalMember" : "Member", ports.get(i)))
                    .append("domain=\"bench\" uniqueId=\"{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,%d}\"/>%n".formatted(i + 1));
        }
        return xml.toString();
    }

    public Variant variant() {
        return variant;
    }

    /** How many nodes it has. */
    public int size() {
        return nodes.size();
    }

    public List<InetSocketAddress> addresses() {
        return nodes.stream().map(Node::address).toList();
    }

    /** Where the nodes of a cluster listen to each other. */
    public List<Integer> clusterPorts() {
        return variant.cluster() ? clusterPorts : List.of();
    }

    public @Nullable Store store() {
        return store;
    }

    /** The processes by what they are for: {@code app}, {@code daemon}, {@code store}. */
    public Map<String, List<Server>> processes() {
        Map<String, List<Server>> kinds = new HashMap<>();
        kinds.put("app", nodes.stream().map(Node::server).toList());
        kinds.put("daemon", daemons.stream().map(Sidecar::server).toList());
        kinds.put("store", store == null ? List.of() : List.of(store.server()));
        return kinds;
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
        daemons.forEach(Sidecar::close);
        if (store != null) {
            store.close();
        }
    }
}
