package dev.sojourn.operator.api;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** Names the workload in the SessionCluster's namespace. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkloadRef(
        @Default("Deployment") Kind kind,

        @Required @JsonPropertyDescription("The workload's name, in the same namespace.")
        String name) {

    public WorkloadRef {
        kind = Objects.requireNonNullElse(kind, Kind.Deployment);
    }

    @Override
    public String toString() {
        return kind + " " + name;
    }

    /** As kubectl takes it. */
    public String argument() {
        return kind.name().toLowerCase(Locale.ROOT) + "/" + name;
    }

    public static String arguments(Stream<WorkloadRef> workloads) {
        return workloads.map(WorkloadRef::argument).distinct().collect(joining(" "));
    }

    /** The kinds of workload whose pods can be injected. */
    public enum Kind {
        Deployment,
        StatefulSet
    }
}
