package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What leads from outside the cluster to Envoy's Service. Neither ever sees a pod of the application: drains end at Envoy. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyExposeSpec(
        @Nullable @JsonPropertyDescription("An Ingress named <SessionCluster>-proxy.")
        IngressSpec ingress,

        @Nullable
        @JsonPropertyDescription(
                "An HTTPRoute named <SessionCluster>-proxy, in clusters that have the Gateway API (v1).")
        HttpRouteSpec httpRoute) {

    /** An Ingress. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record IngressSpec(
            @Nullable @JsonPropertyDescription("The IngressClass. Default: the cluster's default class.")
            String className,

            @Nullable @JsonPropertyDescription("The host that users type. Default: any.")
            String host,

            @Nullable
            @JsonPropertyDescription(
                    "A Secret of type kubernetes.io/tls, for HTTPS at the Ingress; cert-manager may make it.")
            String tlsSecret,

            @JsonPropertyDescription("For the Ingress controller, and for cert-manager.")
            Map<String, String> annotations) {

        public IngressSpec(
                @Nullable String className,
                @Nullable String host,
                @Nullable String tlsSecret,
                @Nullable Map<String, String> annotations) {
            this.className = className;
            this.host = host;
            this.tlsSecret = tlsSecret;
            this.annotations = Map.copyOf(Objects.requireNonNullElse(annotations, Map.of()));
        }
    }

    /** An HTTPRoute. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record HttpRouteSpec(
            @Required @JsonPropertyDescription("The Gateways that lead here.")
            List<ParentRef> parentRefs,

            @JsonPropertyDescription("The hosts that users type. Default: those of the Gateway's listener.")
            List<String> hostnames) {

        public HttpRouteSpec(@Nullable List<ParentRef> parentRefs, @Nullable List<String> hostnames) {
            this.parentRefs = List.copyOf(Objects.requireNonNullElse(parentRefs, List.of()));
            this.hostnames = List.copyOf(Objects.requireNonNullElse(hostnames, List.of()));
        }
    }

    /** A Gateway, or one listener of it. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ParentRef(
            @Required @JsonPropertyDescription("The Gateway.")
            String name,

            @Nullable @JsonPropertyDescription("Where the Gateway is. Default: this namespace.")
            String namespace,

            @Nullable @JsonPropertyDescription("One listener of the Gateway. Default: all that allow it.")
            String sectionName,

            @Nullable @Min(1) @Max(65535) @JsonPropertyDescription("The listeners with this port.")
            Integer port) {}
}
