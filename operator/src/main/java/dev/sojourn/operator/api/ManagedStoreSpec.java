package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sojourn.operator.api.InjectionSpec.Resources;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A Valkey that the operator runs. */
@ValidationRule(
        value = "!(has(self.storage) && has(self.ephemeral) && self.ephemeral)",
        message = "spec.store.managed: set either storage or ephemeral, not both; remove one")
@ValidationRule(
        value = "(has(self.ephemeral) && self.ephemeral) == (has(oldSelf.ephemeral) && oldSelf.ephemeral)",
        message = "spec.store.managed.ephemeral: cannot change, a StatefulSet's volumes are fixed;"
                + ManagedStoreSpec.INSTEAD)
@ValidationRule(
        value =
                "(has(self.storage) && has(self.storage.storageClassName) ? self.storage.storageClassName : '') =="
                        + " (has(oldSelf.storage) && has(oldSelf.storage.storageClassName) ? oldSelf.storage.storageClassName : '')",
        message = "spec.store.managed.storage.storageClassName: cannot change, a StatefulSet's volumes are fixed;"
                + ManagedStoreSpec.INSTEAD)
@ValidationRule(
        value = "self.topology == oldSelf.topology",
        message =
                "spec.store.managed.topology: cannot change, sessions would be left behind;" + ManagedStoreSpec.INSTEAD)
@ValidationRule(
        value = "self.topology != 'Standalone' || !has(self.replicas)",
        message =
                "spec.store.managed.replicas: a Standalone store has none; set topology: Replicated or remove replicas")
@ValidationRule(
        value = "self.topology != 'Replicated' || !has(self.replicas) || self.replicas >= 2",
        message =
                "spec.store.managed.replicas: at least 2 with topology Replicated: with fewer than three pods there is no"
                        + " majority to choose a new primary")
@ValidationRule(
        value = "self.topology == 'Sharded' || !has(self.shards)",
        message = "spec.store.managed.shards: only a Sharded store has any; set topology: Sharded or remove shards")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ManagedStoreSpec(
        @Default("Standalone")
        @JsonPropertyDescription(
                "Standalone: one Valkey. Replicated: one primary, replicas, and a Sentinel beside each, which"
                        + " promote a replica when the primary is gone. Sharded: a Valkey cluster, for what one primary cannot hold.")
        Topology topology,

        @Nullable
        @Min(0)
        @Max(5)
        @JsonPropertyDescription("Copies beside each primary. Default: 2 with Replicated, 1 with Sharded.")
        Integer replicas,

        @Nullable
        @Min(3)
        @Max(60)
        @JsonPropertyDescription("How many primaries share the sessions of a Sharded store. Default: 3."
                + " Sessions move when it changes, and nobody is logged out.")
        Integer shards,

        @Nullable @JsonPropertyDescription("Valkey's image. Default: the operator's.")
        String image,

        @Nullable @JsonPropertyDescription("The volume that holds the sessions. Default: 1Gi.")
        StorageSpec storage,

        @Nullable @JsonPropertyDescription("No volume: sessions survive the application's pods, but not the store's.")
        Boolean ephemeral,

        @Nullable @JsonPropertyDescription("Valkey's requests and limits. 70 % of the memory limit may hold sessions.")
        ResourceRequirements resources,

        @Nullable
        @JsonPropertyDescription(
                "The requests and limits of Replicated's Sentinels, where a LimitRange wants other ones."
                        + " What is not named stays: 50m CPU and 16Mi requested, at most 64Mi; 200m CPU where Valkey's is limited.")
        Resources sentinelResources,

        @Nullable @JsonPropertyDescription("Where the store's pods run, and what is written on them.")
        PodSettings pod) {

    /** Of what cannot change: another store is to be had without a log-out. */
    static final String INSTEAD = " move to a store of your own and from there back (spec.store.next), or delete this"
            + " SessionCluster and make a new one, which logs everybody out";

    public ManagedStoreSpec(
            @Nullable Topology topology,
            @Nullable Integer replicas,
            @Nullable Integer shards,
            @Nullable String image,
            @Nullable StorageSpec storage,
            @Nullable Boolean ephemeral,
            @Nullable ResourceRequirements resources,
            @Nullable Resources sentinelResources,
            @Nullable PodSettings pod) {
        this.topology = Objects.requireNonNullElse(topology, Topology.Standalone);
        this.replicas = replicas;
        this.shards = shards;
        this.image = image;
        this.storage = storage;
        this.ephemeral = ephemeral;
        this.resources = resources;
        this.sentinelResources = sentinelResources;
        this.pod = pod;
    }

    public static ManagedStoreSpec defaults() {
        return of(Topology.Standalone, null, null);
    }

    /** All else is as it is by default. */
    public static ManagedStoreSpec of(Topology topology, @Nullable Integer replicas, @Nullable Integer shards) {
        return new ManagedStoreSpec(topology, replicas, shards, null, null, null, null, null, null);
    }

    /** What of it cannot change, as it was written: defaults may. */
    public String fixed() {
        var storageClass = storage == null ? null : storage.storageClassName();
        var volume = Boolean.TRUE.equals(ephemeral)
                ? "ephemeral"
                : storageClass == null ? "default volumes" : "volumes of " + storageClass;
        return topology + ", " + volume;
    }

    /** Copies beside each primary. */
    public int copies() {
        return switch (topology) {
            case Standalone -> 0;
            case Replicated -> Objects.requireNonNullElse(replicas, 2);
            case Sharded -> Objects.requireNonNullElse(replicas, 1);
        };
    }

    public int primaries() {
        return topology == Topology.Sharded ? Objects.requireNonNullElse(shards, 3) : 1;
    }

    public int pods() {
        return primaries() * (1 + copies());
    }

    /** How many Valkeys there are, and who knows which of them is a primary. */
    public enum Topology {
        Standalone,
        Replicated,
        Sharded
    }
}
