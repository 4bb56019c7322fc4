package dev.sojourn.bench.scenario;

import dev.sojourn.bench.peers.Envoy;
import dev.sojourn.bench.peers.Fleet;
import dev.sojourn.bench.peers.Places;
import dev.sojourn.bench.peers.Tomcat;
import dev.sojourn.bench.peers.Variant;
import dev.sojourn.bench.server.Scratch;
import dev.sojourn.bench.server.Server;
import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/** Three Tomcats with the same connectors: one without the agent, another without it, and one with it. */
final class Stand implements AutoCloseable {
    /** The first connector, with an Envoy before it. */
    static final String ENVOY = "nio-behind-envoy";

    /** Which Tomcat has which connectors, by their names in {@code connectors.xml} and {@code connectors-apr.xml}. */
    enum Kind {
        TEN(Tomcat.TEN, List.of("nio", "nio2", "nio-tls", "nio2-tls")),
        NINE(Tomcat.NINE, List.of("apr", "apr-tls"));

        private final Tomcat tomcat;
        private final List<String> own;

        Kind(Tomcat tomcat, List<String> own) {
            this.tomcat = tomcat;
            this.own = own;
        }

        List<String> connectors() {
            List<String> all = new ArrayList<>(own);
            if (this == TEN) {
                all.add(ENVOY);
            }
            return all;
        }

        /** The native connector is a library of the machine's: Debian's libtcnative-1. */
        boolean isHere() {
            return this == TEN
                    || Stream.of(System.getProperty("java.library.path", "").split(File.pathSeparator))
                            .anyMatch(folder -> new File(folder, "libtcnative-1.so").exists());
        }
    }

    /** One Tomcat, and the port of each of its connectors. */
    record Subject(Fleet fleet, Map<String, Integer> ports) {}

    private final Deque<AutoCloseable> running = new ArrayDeque<>();
    private final List<Subject> subjects = new ArrayList<>();
    private final Certificate certificate;

    private Stand(Certificate certificate) {
        this.certificate = certificate;
    }

    /** @param hasEnvoy whether they have one before them, too: it takes part of the same cores */
    static Stand start(Kind kind, boolean hasEnvoy, Places places, Scratch scratch)
            throws IOException, InterruptedException, GeneralSecurityException {
        var stand = new Stand(new Certificate(scratch.path()));
        try {
            for (Variant variant : List.of(Variant.LOCAL, Variant.LOCAL, Variant.SOJOURN_SYNC)) {
                stand.add(kind, variant, hasEnvoy, places, scratch);
            }
            return stand;
        } catch (IOException | InterruptedException | GeneralSecurityException | RuntimeException e) {
            stand.close();
            throw e;
        }
    }

    private void add(Kind kind, Variant variant, boolean hasEnvoy, Places places, Scratch scratch)
            throws IOException, InterruptedException, GeneralSecurityException {
        Map<String, Integer> ports = new HashMap<>();
        Map<String, String> properties = new HashMap<>(certificate.properties());
        for (String connector : kind.own) {
            int port = Server.freePort();
            ports.put(connector, port);
            properties.put(connector + ".port", String.valueOf(port));
        }
        Fleet fleet = Fleet.start(variant, kind.tomcat, 1, places, scratch, properties);
        running.push(fleet);
        if (hasEnvoy) {
            Envoy envoy = Envoy.start(places, scratch, ports.getOrDefault("nio", 0));
            running.push(envoy);
            ports.put(ENVOY, envoy.port());
        }
        subjects.add(new Subject(fleet, ports));
    }

    /** Without the agent, without it again, with it. */
    List<Subject> subjects() {
        return subjects;
    }

    SSLContext tls() throws IOException, GeneralSecurityException {
        return certificate.client();
    }

    @Override
    public void close() {
        while (!running.isEmpty()) {
            try {
                running.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("a server did not end", e);
            }
        }
    }
}
