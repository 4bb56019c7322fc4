package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The Service in front of Envoy. */
@ValidationRule(
        value = "!has(self.nodePort) || (has(self.type) && self.type != 'ClusterIP')",
        message =
                "spec.proxy.service.nodePort: only type NodePort or LoadBalancer has one; set the type or remove nodePort")
@ValidationRule(
        value = "!has(self.httpsNodePort) || (has(self.type) && self.type != 'ClusterIP')",
        message = "spec.proxy.service.httpsNodePort: only type NodePort or LoadBalancer has one; set the type or remove"
                + " httpsNodePort")
@ValidationRule(
        value = "!has(self.externalTrafficPolicy) || (has(self.type) && self.type != 'ClusterIP')",
        message = "spec.proxy.service.externalTrafficPolicy: only type NodePort or LoadBalancer has one; set the type"
                + " or remove externalTrafficPolicy")
@ValidationRule(
        value =
                "(!has(self.loadBalancerClass) && !has(self.loadBalancerSourceRanges)) || (has(self.type) && self.type =="
                        + " 'LoadBalancer')",
        message =
                "spec.proxy.service.loadBalancerClass and loadBalancerSourceRanges: only type LoadBalancer has them; set"
                        + " the type or remove them")
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyServiceSpec(
        @Default("ClusterIP") Type type,

        @Default("80") @Min(1) @Max(65535) @JsonPropertyDescription("The Service's port.")
        Integer port,

        @Nullable
        @Min(1)
        @Max(65535)
        @JsonPropertyDescription("The port on every node. Default: chosen by the cluster.")
        Integer nodePort,

        @Default("443") @Min(1) @Max(65535) @JsonPropertyDescription("The Service's port for HTTPS, with proxy.tls.")
        Integer httpsPort,

        @Nullable
        @Min(1)
        @Max(65535)
        @JsonPropertyDescription("The port for HTTPS on every node. Default: chosen by the cluster.")
        Integer httpsNodePort,

        @Nullable
        @JsonPropertyDescription("Local: the client's address is kept, and nodes without an Envoy take no requests."
                + " Default: Cluster.")
        TrafficPolicy externalTrafficPolicy,

        @Nullable
        @JsonPropertyDescription("Who makes the load balancer, as a Service says it: it cannot be changed."
                + " Default: the cloud provider's.")
        String loadBalancerClass,

        @Nullable
        @JsonPropertyDescription(
                "The networks that the load balancer takes connections from, as 10.0.0.0/8. Default: all.")
        List<String> loadBalancerSourceRanges,

        @JsonPropertyDescription(
                "Of the Service: most clouds are told by one that the load balancer is an internal one.")
        Map<String, String> annotations) {

    public ProxyServiceSpec(
            @Nullable Type type,
            @Nullable Integer port,
            @Nullable Integer nodePort,
            @Nullable Integer httpsPort,
            @Nullable Integer httpsNodePort,
            @Nullable TrafficPolicy externalTrafficPolicy,
            @Nullable String loadBalancerClass,
            @Nullable List<String> loadBalancerSourceRanges,
            @Nullable Map<String, String> annotations) {
        this.type = Objects.requireNonNullElse(type, Type.ClusterIP);
        this.port = Objects.requireNonNullElse(port, 80);
        this.nodePort = nodePort;
        this.httpsPort = Objects.requireNonNullElse(httpsPort, 443);
        this.httpsNodePort = httpsNodePort;
        this.externalTrafficPolicy = externalTrafficPolicy;
        this.loadBalancerClass = loadBalancerClass;
        this.loadBalancerSourceRanges = loadBalancerSourceRanges == null ? null : List.copyOf(loadBalancerSourceRanges);
        this.annotations = Map.copyOf(Objects.requireNonNullElse(annotations, Map.of()));
    }

    static ProxyServiceSpec defaults() {
        return new ProxyServiceSpec(null, null, null, null, null, null, null, null, null);
    }

    /** How the Service is published. */
    public enum Type {
        ClusterIP,
        NodePort,
        LoadBalancer
    }

    /** Which nodes lead to it what comes from outside. */
    public enum TrafficPolicy {
        Cluster,
        Local
    }
}
