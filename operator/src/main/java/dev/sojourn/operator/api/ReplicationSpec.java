package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** When a response may leave, seen from the store. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicationSpec(
        @Default("Sync")
        @JsonPropertyDescription("Sync: a response leaves when the store holds its session."
                + " Async: when the sidecar does; a lost node may lose the last milliseconds.")
        Mode mode,

        @Nullable
        @Min(0)
        @Max(5)
        @JsonPropertyDescription(
                "In Sync, how many of the store's replicas must hold a session too before its response leaves,"
                        + " for half a second at most; no more than a managed store has."
                        + " Default: 1 with a managed store that has replicas, otherwise 0.")
        Integer acknowledgedBy,

        @Default("Serve")
        @JsonPropertyDescription(
                "What a request meets that has waited 15 s for a store that is away. Serve: what its pod"
                        + " holds of its session, which without stickiness may be old; 503 if it holds nothing. Refuse: 503.")
        StoreOutage storeOutage) {

    public ReplicationSpec(@Nullable Mode mode, @Nullable Integer acknowledgedBy, @Nullable StoreOutage storeOutage) {
        this.mode = Objects.requireNonNullElse(mode, Mode.Sync);
        this.acknowledgedBy = acknowledgedBy;
        this.storeOutage = Objects.requireNonNullElse(storeOutage, StoreOutage.Serve);
    }

    /** What takes the place of a store that is away. */
    public enum StoreOutage {
        Serve,
        Refuse
    }

    /** Whom a response waits for. */
    public enum Mode {
        Sync,
        Async
    }
}
