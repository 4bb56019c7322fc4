package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is. Built by {@code StatusAggregator} only. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SessionClusterStatus(
        @Nullable @JsonPropertyDescription("The generation of the spec that this status tells about.")
        Long observedGeneration,

        @JsonPropertyDescription("Ready, StoreReady, ProxyReady, InjectionReady.")
        List<Condition> conditions,

        @JsonPropertyDescription("Pods that run with the sidecar and are ready.")
        Integer injectedPods,

        @JsonPropertyDescription("Pods that should.") Integer totalPods,
        @JsonPropertyDescription("injectedPods/totalPods.") String injected,

        @Nullable @JsonPropertyDescription("Where the sessions live.")
        String storeEndpoint,

        @JsonPropertyDescription(
                "Whether a sidecar has ever reached this store. From then on a pod that starts while it is away"
                        + " answers 503 to who may have a session there, and logs nobody out.")
        Boolean storeInUse,

        @JsonPropertyDescription("The managed store's pods that answer.")
        List<StorePodStatus> storePods,

        @Nullable @JsonPropertyDescription("Where the application is reached through Envoy.")
        String proxyEndpoint,

        @Nullable @JsonPropertyDescription("What pods that start now are given: from the last spec that was accepted.")
        InjectionSettings injection) {

    public SessionClusterStatus {
        conditions = List.copyOf(Objects.requireNonNullElse(conditions, List.of()));
        storePods = List.copyOf(Objects.requireNonNullElse(storePods, List.of()));
        storeInUse = Objects.requireNonNullElse(storeInUse, false);
        injectedPods = Objects.requireNonNullElse(injectedPods, 0);
        totalPods = Objects.requireNonNullElse(totalPods, 0);
        injected = Objects.requireNonNullElse(injected, "0/0");
    }
}
