package dev.sojourn.operator.sidecar;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a sidecar says of its store ({@code /storez}, sidecar/daemon/README.md).
 *
 * @param seconds since there has been no connection, or since the last refusal
 * @param kind of trouble, one of few words
 * @param mend in words of the sidecar's own settings
 * @param secondsWithoutApplication since none has been connected to it; 0 while one is, and of an older sidecar, which does not say
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SidecarHealth(
        State state,
        long seconds,
        String kind,
        String message,
        String mend,
        @JsonProperty("seconds_without_application") long secondsWithoutApplication) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Whether sessions reach the store. */
    public enum State {
        @JsonProperty("up")
        Up,
        @JsonProperty("down")
        Down,
        @JsonProperty("refusing")
        Refusing
    }

    public SidecarHealth(
            State state,
            long seconds,
            @Nullable String kind,
            @Nullable String message,
            @Nullable String mend,
            long secondsWithoutApplication) {
        this.state = Objects.requireNonNull(state);
        this.seconds = seconds;
        this.kind = Objects.requireNonNullElse(kind, "");
        this.message = Objects.requireNonNullElse(message, "");
        this.mend = Objects.requireNonNullElse(mend, "");
        this.secondsWithoutApplication = secondsWithoutApplication;
    }

    /** Nothing, if that is not what a sidecar says: whatever listens in a pod may answer. */
    static Optional<SidecarHealth> parse(String text) {
        try {
            return Optional.ofNullable(JSON.readValue(text, SidecarHealth.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
