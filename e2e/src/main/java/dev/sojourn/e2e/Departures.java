package dev.sojourn.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Watches the application's pods leave: when each was deleted, when its application got SIGTERM, and when that ended. The times of
 * the signal come from the agent's log lines, on the node's clock; on a cluster of several machines they are as good as its NTP.
 */
public final class Departures implements AutoCloseable {
    private static final Pattern AGENT = Pattern.compile("sojourn: SIGTERM (received|handed on) at=(\\d+).*");

    private final Cluster cluster;
    private final String namespace;
    private final Map<String, Departure> pods = new ConcurrentHashMap<>();
    private final Watch watch;

    /** What is known of a pod's end; empty until it happened. */
    public static final class Departure {
        private volatile Optional<Instant> deleted = Optional.empty();
        private volatile Optional<Instant> sigterm = Optional.empty();
        private volatile Optional<Instant> handedOn = Optional.empty();
        private volatile Optional<Instant> ended = Optional.empty();

        /** When its deletion was seen. */
        public Optional<Instant> deleted() {
            return deleted;
        }

        /** From the deletion to the moment at which the application was told to end. */
        public Optional<Duration> toSigterm() {
            return between(handedOn);
        }

        /** From the deletion to the end of the application's process. */
        public Optional<Duration> toEnd() {
            return between(ended);
        }

        /** How long the agent held SIGTERM back for requests in flight. */
        public Optional<Duration> held() {
            return sigterm.flatMap(from -> handedOn.map(to -> Duration.between(from, to)));
        }

        private Optional<Duration> between(Optional<Instant> moment) {
            return deleted.flatMap(from -> moment.map(to -> Duration.between(from, to)));
        }
    }

    Departures(Cluster cluster, String namespace, String label, String value) {
        this.cluster = cluster;
        this.namespace = namespace;
        watch = cluster.client()
                .pods()
                .inNamespace(namespace)
                .withLabel(label, value)
                .watch(new Watcher<>() {
                    @Override
                    public void eventReceived(Action action, Pod pod) {
                        see(pod);
                    }

                    @Override
                    public void onClose(WatcherException cause) {
                        // Closed by us at the end; if the server closed it, the figures that are missing say so.
                    }
                });
    }

    /** By the pod's name. */
    public Map<String, Departure> pods() {
        return pods;
    }

    private void see(Pod pod) {
        String name = pod.getMetadata().getName();
        var departure = pods.computeIfAbsent(name, n -> new Departure());
        boolean running = pod.getStatus().getContainerStatuses().stream()
                .anyMatch(status -> status.getState().getRunning() != null);
        if (running) {
            follow(name, departure);
        }
        if (pod.getMetadata().getDeletionTimestamp() != null
                && departure.deleted().isEmpty()) {
            departure.deleted = Optional.of(Instant.now());
        }
    }

    private final Map<String, Boolean> followed = new ConcurrentHashMap<>();

    private void follow(String name, Departure departure) {
        if (followed.putIfAbsent(name, true) == null) {
            PodLog.follow(
                    cluster,
                    namespace,
                    name,
                    line -> read(line, departure),
                    () -> departure.ended = Optional.of(Instant.now()));
        }
    }

    private static void read(String line, Departure departure) {
        Matcher agent = AGENT.matcher(line);
        if (agent.matches()) {
            var at = Optional.of(Instant.ofEpochMilli(Long.parseLong(agent.group(2))));
            if (agent.group(1).equals("received")) {
                departure.sigterm = at;
            } else {
                departure.handedOn = at;
            }
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
