package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sojourn.operator.api.InjectionSpec.Resources;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The Envoy in front of the application. */
@ValidationRule(
        value = "!has(self.tls) || !has(self.service) || !has(self.service.port) || !has(self.service.httpsPort)"
                + " || self.service.port != self.service.httpsPort",
        message = "spec.proxy.service.httpsPort: plain HTTP has this port, spec.proxy.service.port; choose another")
@ValidationRule(
        value = "!has(self.expose) || !has(self.tls) || !has(self.tls.redirect) || !self.tls.redirect",
        message =
                "spec.proxy.tls.redirect: what spec.proxy.expose puts in front speaks plain HTTP to Envoy and would be"
                        + " redirected for ever; redirect there instead")
@ValidationRule(
        value = "!has(self.expose) || !has(self.enabled) || self.enabled",
        message = "spec.proxy.expose: there is no proxy to lead to; set spec.proxy.enabled: true or remove expose")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxySpec(
        @Default("true") @JsonPropertyDescription("Whether to run one.")
        Boolean enabled,

        @Default("2") @Min(1) @Max(100) @JsonPropertyDescription("How many Envoy pods.")
        Integer replicas,

        @Default("None")
        @JsonPropertyDescription("None: any pod, the least busy of two. Cookie: the pod of last time, by a cookie of"
                + " Envoy's own. Hash: the pod that the session cookie hashes to. It saves loads, and is never needed.")
        Stickiness stickiness,

        @Nullable
        @Pattern("^/[^\\s]*$")
        @JsonPropertyDescription("Checks the application's pods by GET on this path. Default: by a TCP connection.")
        String healthCheckPath,

        @JsonPropertyDescription("The Service in front of Envoy.")
        ProxyServiceSpec service,

        @Nullable @JsonPropertyDescription("HTTPS at Envoy. Default: plain HTTP only.")
        ProxyTlsSpec tls,

        @Nullable @JsonPropertyDescription("An Ingress or an HTTPRoute in front of that Service. Default: neither.")
        ProxyExposeSpec expose,

        @Nullable
        @JsonPropertyDescription(
                "A NetworkPolicy for the Envoy pods: in only at their ports; out only to the application,"
                        + " DNS and the API server. Default: none.")
        ProxyNetworkPolicySpec networkPolicy,

        @JsonPropertyDescription("How an Envoy pod ends.") ProxyDrainSpec drain,

        @Default("false")
        @JsonPropertyDescription("Whether Envoy writes a line of JSON for every request to its standard output; never"
                + " queries, cookies or session ids.")
        Boolean accessLog,

        @Default("0")
        @Min(0)
        @Max(10)
        @JsonPropertyDescription(
                "How many proxies in front of Envoy append the client's address to X-Forwarded-For. None"
                        + " is believed by default.")
        Integer trustedProxies,

        @Nullable @JsonPropertyDescription("What Envoy lets through. Default: everything.")
        ProxyLimitsSpec limits,

        @Nullable @JsonPropertyDescription("Envoy's requests and limits.")
        ResourceRequirements resources,

        @Nullable
        @JsonPropertyDescription(
                "The requests and limits of the edge beside Envoy, where a LimitRange wants other ones."
                        + " What is not named stays: 10m CPU and 24Mi requested, at most 96Mi; 200m CPU where Envoy's is limited.")
        Resources edgeResources,

        @Nullable @JsonPropertyDescription("Where the Envoy pods run, and what is written on them.")
        PodSettings pod) {

    public ProxySpec(
            @Nullable Boolean enabled,
            @Nullable Integer replicas,
            @Nullable Stickiness stickiness,
            @Nullable String healthCheckPath,
            @Nullable ProxyServiceSpec service,
            @Nullable ProxyTlsSpec tls,
            @Nullable ProxyExposeSpec expose,
            @Nullable ProxyNetworkPolicySpec networkPolicy,
            @Nullable ProxyDrainSpec drain,
            @Nullable Boolean accessLog,
            @Nullable Integer trustedProxies,
            @Nullable ProxyLimitsSpec limits,
            @Nullable ResourceRequirements resources,
            @Nullable Resources edgeResources,
            @Nullable PodSettings pod) {
        this.enabled = Objects.requireNonNullElse(enabled, true);
        this.replicas = Objects.requireNonNullElse(replicas, 2);
        this.stickiness = Objects.requireNonNullElse(stickiness, Stickiness.None);
        this.healthCheckPath = healthCheckPath;
        this.service = Objects.requireNonNullElseGet(service, ProxyServiceSpec::defaults);
        this.tls = tls;
        this.expose = expose;
        this.networkPolicy = networkPolicy;
        this.drain = Objects.requireNonNullElseGet(drain, () -> new ProxyDrainSpec(null, null));
        this.accessLog = Objects.requireNonNullElse(accessLog, false);
        this.trustedProxies = Objects.requireNonNullElse(trustedProxies, 0);
        this.limits = limits;
        this.resources = resources;
        this.edgeResources = edgeResources;
        this.pod = pod;
    }

    static ProxySpec defaults() {
        return new ProxySpec(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** Whether a user comes back to the same pod. */
    public enum Stickiness {
        None,
        Cookie,
        Hash
    }
}
