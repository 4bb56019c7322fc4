package dev.sojourn.operator.config;

import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Those of the namespaces to watch where the operator may work. One that was deleted took its Role along: watched all the same, it would
 * keep the operator from starting, and the webhook from all others.
 */
public final class ServedNamespaces {

    private static final Logger LOG = Logger.getLogger(ServedNamespaces.class);

    private final KubernetesClient client;

    public ServedNamespaces(KubernetesClient client) {
        this.client = client;
    }

    /** @param named with commas between them, as is what is returned */
    public String among(String named) {
        return among(named, this::mayWatch);
    }

    static String among(String named, Predicate<String> mayWatch) {
        var served = Stream.of(named.split(",")).filter(mayWatch).collect(Collectors.joining(","));
        // None would mean all.
        return served.isEmpty() ? named : served;
    }

    private boolean mayWatch(String namespace) {
        var list = new Permission(
                "list",
                HasMetadata.getGroup(SessionCluster.class),
                HasMetadata.getPlural(SessionCluster.class),
                namespace);
        try {
            if (list.isGranted(client)) {
                return true;
            }
            LOG.warnf(
                    "namespace %s is not served: the operator may not list its SessionClusters; install the chart again once it"
                            + " exists, and restart the operator, or take it out of watchNamespaces",
                    namespace);
            return false;
        } catch (KubernetesClientException e) {
            LOG.warnf("namespace %s: whether it can be served is not known: %s", namespace, e.getMessage());
            return true;
        }
    }
}
