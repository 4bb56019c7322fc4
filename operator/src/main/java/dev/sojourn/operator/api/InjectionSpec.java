package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How pods come by their sidecar and agent. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record InjectionSpec(
        @Default("Report")
        @JsonPropertyDescription(
                "What is done about pods that started without the sidecar, because nobody answered the webhook."
                        + " Report: the status names them. Evict: they are evicted too, one at a time, as far as disruption budgets allow.")
        Watchdog watchdog,

        @Default("JAVA_TOOL_OPTIONS")
        @JsonPropertyDescription(
                "The environment variable that names the agent to Java. JAVA_TOOL_OPTIONS: read by every JVM."
                        + " JDK_JAVA_OPTIONS: by the command java, from JDK 9 on. CATALINA_OPTS: by Tomcat's catalina.sh."
                        + " One of the latter where the image sets JAVA_TOOL_OPTIONS itself, which a pod's variable would hide.")
        JavaOptionsEnv javaOptionsEnv,

        @Nullable
        @JsonPropertyDescription("The sidecar's requests and limits, where a quota or a LimitRange wants other ones."
                + " What is not named stays: 10m CPU and 24Mi requested, at most 128Mi, no limit of CPU.")
        Resources resources,

        @JsonPropertyDescription(
                "Names of Secrets in the pods' namespace that the sidecar's image is pulled with. The pods"
                        + " keep their own beside them.")
        List<String> imagePullSecrets) {

    public InjectionSpec(
            @Nullable Watchdog watchdog,
            @Nullable JavaOptionsEnv javaOptionsEnv,
            @Nullable Resources resources,
            @Nullable List<String> imagePullSecrets) {
        this.watchdog = Objects.requireNonNullElse(watchdog, Watchdog.Report);
        this.javaOptionsEnv = Objects.requireNonNullElse(javaOptionsEnv, JavaOptionsEnv.JAVA_TOOL_OPTIONS);
        this.resources = resources;
        this.imagePullSecrets = List.copyOf(Objects.requireNonNullElse(imagePullSecrets, List.of()));
    }

    static InjectionSpec defaults() {
        return new InjectionSpec(null, null, null, null);
    }

    /** What is done about a pod that the webhook never saw. */
    public enum Watchdog {
        Report,
        Evict
    }

    /** Where options for Java come from. */
    public enum JavaOptionsEnv {
        JAVA_TOOL_OPTIONS,
        JDK_JAVA_OPTIONS,
        CATALINA_OPTS
    }

    /** Amounts by the resource's name. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Resources(
            @Nullable Map<String, Quantity> requests,
            @Nullable Map<String, Quantity> limits) {}
}
