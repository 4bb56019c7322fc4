package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How the agent treats sessions in the application's JVM. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record AgentSpec(
        @Default("Shared")
        @JsonPropertyDescription("Shared: requests of one session run side by side, as in any servlet container."
                + " Exclusive: one at a time in the whole cluster; a request that waits too long is answered 503.")
        Concurrency concurrency,

        @Nullable @JsonPropertyDescription("Context paths that Exclusive is for, / for the root. Default: all.")
        List<@Pattern("^/[^;,\\s\\\\]*$") String> exclusiveContexts,

        @Nullable @JsonPropertyDescription("Context paths that keep their sessions to themselves.")
        List<@Pattern("^/[^;,\\s\\\\]*$") String> excludedContexts,

        @Nullable
        @JsonPropertyDescription("Paths of requests that keep no session alive, such as polls, with the context path,"
                + " * for any text: they see the session and may change it, and its idle time goes on.")
        List<@Pattern("^[/*][^;,\\s\\\\]*$") String> passivePaths,

        @Nullable
        @JsonPropertyDescription("Attributes that share objects and are to go on sharing them, one item for each group:"
                + " names separated by commas, * for any text.")
        List<@Pattern("^[^;\\n\\r\\\\]+$") String> groups,

        @Nullable
        @Pattern("^[^\\n\\r\\\\]+$")
        @JsonPropertyDescription(
                "What may be deserialized, as in jdk.serialFilter; asked before the agent's own list of"
                        + " known gadgets. learn:<file> writes down what the sessions need, file:<file> allows just that.")
        String deserializationFilter) {

    public AgentSpec(
            @Nullable Concurrency concurrency,
            @Nullable List<String> exclusiveContexts,
            @Nullable List<String> excludedContexts,
            @Nullable List<String> passivePaths,
            @Nullable List<String> groups,
            @Nullable String deserializationFilter) {
        this.concurrency = Objects.requireNonNullElse(concurrency, Concurrency.Shared);
        this.exclusiveContexts = exclusiveContexts;
        this.excludedContexts = excludedContexts;
        this.passivePaths = passivePaths;
        this.groups = groups;
        this.deserializationFilter = deserializationFilter;
    }

    static AgentSpec defaults() {
        return new AgentSpec(null, null, null, null, null, null);
    }

    /** How many requests of one session run at a time. */
    public enum Concurrency {
        Shared,
        Exclusive
    }

    /** Lines of the agent's settings file; null: its defaults hold. What could end a line is refused by the patterns above. */
    @Nullable
    String settings() {
        var lines = new StringBuilder();
        if (concurrency == Concurrency.Exclusive) {
            lines.append("concurrency=exclusive\n");
        }
        line(lines, "concurrency.contexts", exclusiveContexts);
        line(lines, "contexts.exclude", excludedContexts);
        line(lines, "passive.paths", passivePaths);
        line(lines, "group", groups);
        line(lines, "deserialization.filter", deserializationFilter == null ? null : List.of(deserializationFilter));
        return lines.isEmpty() ? null : lines.toString();
    }

    private static void line(StringBuilder lines, String key, @Nullable List<String> values) {
        if (values != null && !values.isEmpty()) {
            lines.append(key).append('=').append(String.join(";", values)).append('\n');
        }
    }
}
