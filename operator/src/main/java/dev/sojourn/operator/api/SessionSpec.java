package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the application names its sessions. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record SessionSpec(
        @Default("JSESSIONID")
        @Pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
        @JsonPropertyDescription("The session cookie's name, as the application sets it.")
        String cookie) {

    public SessionSpec(@Nullable String cookie) {
        this.cookie = Objects.requireNonNullElse(cookie, "JSESSIONID");
    }
}
