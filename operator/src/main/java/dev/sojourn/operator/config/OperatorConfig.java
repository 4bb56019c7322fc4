package dev.sojourn.operator.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithDefault;
import java.util.List;
import java.util.Optional;

/** The operator's settings. Each is an environment variable: {@code sojourn.sidecar-image} is {@code SOJOURN_SIDECAR_IMAGE}. */
@ConfigMapping(prefix = "sojourn")
public interface OperatorConfig {

    /** Where the operator runs: {@code POD_NAMESPACE}, see application.properties. */
    @WithDefault("sojourn-system")
    String namespace();

    /** The operator's own pod: {@code HOSTNAME}. */
    @WithDefault("sojourn-operator")
    String podName();

    /** The Deployment that the operator runs in: owner of its lease and its Secret. Without it they stay when it is uninstalled. */
    Optional<String> deployment();

    /** The first address of the operator's own pod: {@code POD_IP}. (The API server may be known to pods by a host name.) */
    Optional<String> podIp();

    /** What comes first in this cluster, for all pods alike. */
    default IpFamily ipFamily() {
        return podIp().map(IpFamily::of).orElse(IpFamily.IPv4);
    }

    /** The namespaces whose SessionClusters it serves: {@code WATCH_NAMESPACES}; empty: all. */
    Optional<List<String>> watchNamespaces();

    /** Those that the chart was given, which are not all served: the webhook is asked about their pods. Empty: about those of all. */
    Optional<List<String>> namedNamespaces();

    /** Where the webhook sees no pod, besides {@code kube-system} and where the operator runs: {@code webhook.excludedNamespaces}. */
    Optional<List<String>> excludedNamespaces();

    /** Whether the webhook is asked about pods of this namespace, as it is registered by the chart. */
    default boolean injectsIn(String namespace) {
        return !namespace.equals("kube-system")
                && !namespace.equals(namespace())
                && !excludedNamespaces().orElse(List.of()).contains(namespace);
    }

    /** The image of the pods' sidecar and of the proxy's edge: one binary. */
    @WithDefault("sojourn/sidecar:0.1.0")
    String sidecarImage();

    /** The image of a managed store that names none. */
    @WithDefault("valkey/valkey:8.1")
    String valkeyImage();

    /** The proxy's image. The configuration is validated with this version. */
    @WithDefault("envoyproxy/envoy:v1.40.0")
    String envoyImage();

    /** For all of these images. */
    @WithDefault("IfNotPresent")
    String imagePullPolicy();

    /**
     * Whether the cluster says as which user and group each pod runs, and refuses those that say so themselves. OpenShift does, by its
     * SecurityContextConstraints.
     */
    @WithDefault("false")
    boolean assignedUsers();

    /** What the pod webhook needs. */
    Webhook webhook();

    /** What the pod webhook needs. */
    interface Webhook {

        /** The Service in front of the webhook's port: the certificate is made out to it. */
        @WithDefault("sojourn-webhook")
        String service();

        /** Whether we make the certificate and publish its CA. If not somebody else does both, such as cert-manager. */
        @WithDefault("true")
        boolean ownCertificate();

        /** The MutatingWebhookConfiguration whose caBundle we keep. */
        @WithDefault("sojourn")
        String configuration();

        /** The Secret that holds the CA and the certificate. */
        @WithDefault("sojourn-webhook-cert")
        String secret();

        /** Where the webhook listens. */
        @WithDefault("9443")
        int port();
    }
}
