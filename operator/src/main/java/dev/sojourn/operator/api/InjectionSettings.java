package dev.sojourn.operator.api;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sojourn.operator.api.InjectionSpec.JavaOptionsEnv;
import dev.sojourn.operator.api.InjectionSpec.Resources;
import dev.sojourn.operator.api.ManagedStoreSpec.Topology;
import dev.sojourn.operator.api.ReplicationSpec.StoreOutage;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything of a SessionCluster that ends up in an injected pod, and nothing else: its hash rolls the pods. The sidecar's image is
 * left out on purpose, so that an upgrade of the operator restarts nobody's application; pods take the new image when they next start.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record InjectionSettings(
        String cluster,
        @Nullable String container,
        int port,
        String mode,
        String storeUrl,
        @Nullable String credentialsSecret,
        @Nullable String caSecret,
        String drainDeadline,
        @Nullable String agentSettings,
        @Nullable String sentinelSecret,
        @Nullable Integer acknowledgedBy,
        @Nullable JavaOptionsEnv javaOptionsEnv,
        @Nullable Resources resources,
        @Nullable StoreOutage storeOutage,
        @Nullable StoreAccess next,
        @Nullable StoreAccess previous,
        @Nullable List<String> imagePullSecrets) {

    /** Where a store is, the Secrets of its login, and how many replicas confirm a write: what is not set is 0. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record StoreAccess(
            String url,
            @Nullable String credentialsSecret,
            @Nullable String caSecret,
            @Nullable String sentinelSecret,
            @Nullable Integer acknowledgedBy) {

        static StoreAccess of(
                SessionCluster sessionCluster,
                @Nullable ManagedStoreSpec managed,
                @Nullable ExternalStoreSpec external,
                @Nullable Integer acknowledgedBy) {
            if (external != null) {
                return new StoreAccess(
                        external.url(),
                        external.credentialsSecret(),
                        external.caSecret(),
                        external.sentinelCredentialsSecret(),
                        acknowledgedBy);
            }
            var topology = requireNonNull(managed).topology();
            var secret = Names.store(sessionCluster);
            return new StoreAccess(
                    Names.storeUrl(sessionCluster, topology),
                    secret,
                    null,
                    topology == Topology.Replicated ? secret : null,
                    acknowledgedBy);
        }

        /** A session that one daemon takes from it must not be there again after a fail-over. */
        static @Nullable StoreAccess of(SessionCluster sessionCluster, @Nullable OtherStoreSpec other) {
            if (other == null) {
                return null;
            }
            var spec = sessionCluster.getSpec();
            var managed = other.isManaged() ? spec.store().managed() : null;
            var copies = managed == null ? 0 : managed.copies();
            return of(
                    sessionCluster,
                    managed,
                    other.external(),
                    InjectionSettings.acknowledgedBy(spec, Math.min(copies, 1)));
        }

        boolean isSame(StoreAccess other) {
            return url.equals(other.url)
                    && Objects.equals(credentialsSecret, other.credentialsSecret)
                    && Objects.equals(caSecret, other.caSecret)
                    && Objects.equals(sentinelSecret, other.sentinelSecret);
        }

        public boolean hasSecrets() {
            return credentialsSecret != null || sentinelSecret != null || caSecret != null;
        }
    }

    /** Port 8080, {@code Sync}, and nothing that need not be set. */
    public static InjectionSettings plain(
            String cluster, String storeUrl, @Nullable String credentialsSecret, @Nullable String caSecret) {
        return new InjectionSettings(
                cluster,
                null,
                8080,
                "Sync",
                storeUrl,
                credentialsSecret,
                caSecret,
                "10s",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    public static InjectionSettings of(SessionCluster sessionCluster) {
        var meta = sessionCluster.getMetadata();
        var spec = sessionCluster.getSpec();
        var store = spec.store();
        var main = StoreAccess.of(sessionCluster, store.managed(), store.external(), acknowledgedBy(spec));
        return new InjectionSettings(
                meta.getNamespace() + "." + meta.getName(),
                spec.container(),
                spec.port(),
                spec.replication().mode().name(),
                main.url(),
                main.credentialsSecret(),
                main.caSecret(),
                spec.drain().deadline(),
                agentSettings(spec),
                main.sentinelSecret(),
                main.acknowledgedBy(),
                spec.injection().javaOptionsEnv() == JavaOptionsEnv.JAVA_TOOL_OPTIONS
                        ? null
                        : spec.injection().javaOptionsEnv(),
                resources(spec.injection().resources()),
                spec.replication().storeOutage() == StoreOutage.Serve
                        ? null
                        : spec.replication().storeOutage(),
                StoreAccess.of(sessionCluster, store.next()),
                StoreAccess.of(sessionCluster, store.previous()),
                spec.injection().imagePullSecrets().isEmpty()
                        ? null
                        : spec.injection().imagePullSecrets());
    }

    private static @Nullable String agentSettings(SessionClusterSpec spec) {
        var own = spec.agent().settings();
        var sticky = spec.drain().mode() == DrainSpec.Mode.Sticky ? "drain.mode=sticky\n" : null;
        return sticky == null ? own : own == null ? sticky : sticky + own;
    }

    /** In one order, whatever theirs: the hash must not depend on it. */
    private static @Nullable Resources resources(@Nullable Resources users) {
        var requests = sorted(users == null ? null : users.requests());
        var limits = sorted(users == null ? null : users.limits());
        return requests == null && limits == null ? null : new Resources(requests, limits);
    }

    private static @Nullable Map<String, Quantity> sorted(@Nullable Map<String, Quantity> amounts) {
        return amounts == null || amounts.isEmpty() ? null : new TreeMap<>(amounts);
    }

    /** The name of the variable that Java takes the agent from. */
    public String javaOptions() {
        return Objects.requireNonNullElse(javaOptionsEnv, JavaOptionsEnv.JAVA_TOOL_OPTIONS)
                .name();
    }

    /** What is 0 is left out, as all that is not set. */
    private static @Nullable Integer acknowledgedBy(SessionClusterSpec spec) {
        var managed = spec.store().managed();
        var copies = managed == null || spec.store().external() != null ? 0 : managed.copies();
        return acknowledgedBy(
                spec, Objects.requireNonNullElse(spec.replication().acknowledgedBy(), Math.min(copies, 1)));
    }

    private static @Nullable Integer acknowledgedBy(SessionClusterSpec spec, int asked) {
        return asked > 0 && spec.replication().mode() == ReplicationSpec.Mode.Sync ? asked : null;
    }

    /**
     * Ten hexadecimal digits: short enough to read in a pod's annotations, and a collision would need two specs of one user. What is
     * not set is left out: a newer operator that knows more settings rolls nobody who does not use them.
     */
    public String hash() {
        return sha256(Serialization.asJson(this)).substring(0, 10);
    }

    /** The one that sessions are in, or will be. */
    public StoreAccess store() {
        return new StoreAccess(storeUrl, credentialsSecret, caSecret, sentinelSecret, acknowledgedBy);
    }

    /** The second one, while sessions move. */
    public @Nullable StoreAccess otherStore() {
        return next != null ? next : previous;
    }

    public boolean hasSameStore(InjectionSettings other) {
        return store().isSame(other.store());
    }

    /** As the one that sessions are in, or as the second one. */
    public boolean names(StoreAccess store) {
        return store.isSame(store()) || (otherStore() != null && store.isSame(otherStore()));
    }

    public static String sha256(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
