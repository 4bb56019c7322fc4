package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** When a response may leave, seen from the store. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ReplicationSpec(
        @Default("Sync")
        @JsonPropertyDescription("Sync: a response leaves when the store holds its session."
                + " Async: when the sidecar does; a lost node may lose the last milliseconds.")
        Mode mode) {

    public ReplicationSpec(@Nullable Mode mode) {
        this.mode = Objects.requireNonNullElse(mode, Mode.Sync);
    }

    /** Whom a response waits for. */
    public enum Mode {
        Sync,
        Async
    }
}
