package dev.sojourn.operator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What Envoy lets through. A change reaches it within a second or so and ends no connection; buckets begin full again. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ProxyLimitsSpec(
        @Nullable @JsonPropertyDescription("Requests of all clients together, over all Envoys.")
        Rate requests,

        @Nullable
        @JsonPropertyDescription(
                "Requests of each session, by the session cookie's value. Each Envoy counts for itself.")
        Rate perSession,

        @Nullable
        @JsonPropertyDescription("Requests of each client address; of IPv6, of each /64. Each Envoy counts for itself.")
        Rate perAddress,

        @Nullable
        @ValidationRule(
                value = "self.matches('^[1-9][0-9]{0,8}KiB/s$')",
                message = "spec.proxy.limits.download: write KiB/s, such as 10240KiB/s")
        @JsonPropertyDescription("Bytes of responses, of all clients together, over all Envoys, such as 10240KiB/s.")
        String download,

        @Nullable
        @ValidationRule(
                value = "self.matches('^[1-9][0-9]{0,8}KiB/s$')",
                message = "spec.proxy.limits.upload: write KiB/s, such as 10240KiB/s")
        @JsonPropertyDescription("Bytes of requests, of all clients together, over all Envoys, such as 10240KiB/s.")
        String upload,

        @JsonPropertyDescription("Requests that no rate holds for. Download and upload do.")
        List<Traffic> exempt,

        @JsonPropertyDescription("Requests that are answered 403.")
        List<Traffic> deny) {

    public ProxyLimitsSpec(
            @Nullable Rate requests,
            @Nullable Rate perSession,
            @Nullable Rate perAddress,
            @Nullable String download,
            @Nullable String upload,
            @Nullable List<Traffic> exempt,
            @Nullable List<Traffic> deny) {
        this.requests = requests;
        this.perSession = perSession;
        this.perAddress = perAddress;
        this.download = download;
        this.upload = upload;
        this.exempt = List.copyOf(Objects.requireNonNullElse(exempt, List.of()));
        this.deny = List.copyOf(Objects.requireNonNullElse(deny, List.of()));
    }

    /** A token bucket. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Rate(
            @Required
            @ValidationRule(
                    value = "self.matches('^[1-9][0-9]{0,8}/[smh]$')",
                    message =
                            "spec.proxy.limits: write a rate as requests per second, minute or hour: 100/s, 6000/m, 1000/h")
            @JsonPropertyDescription("How fast the bucket fills: 100/s, 6000/m or 1000/h.")
            String rate,

            @Nullable
            @Min(1)
            @Max(1_000_000_000)
            @JsonPropertyDescription("How many requests the bucket holds. Default: the number of the rate.")
            Integer burst) {

        public int requests() {
            return Integer.parseInt(rate.substring(0, rate.indexOf('/')));
        }

        public int seconds() {
            return switch (rate.charAt(rate.length() - 1)) {
                case 'h' -> 3600;
                case 'm' -> 60;
                default -> 1;
            };
        }

        public int bucket() {
            return Objects.requireNonNullElseGet(burst, this::requests);
        }
    }

    /** Some requests, told by one thing. */
    @ValidationRule(
            value = "[has(self.cidr), has(self.pathPrefix), has(self.header)].filter(given, given).size() == 1",
            message = "spec.proxy.limits: each item of exempt and deny has one of cidr, pathPrefix and header")
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Traffic(
            @Nullable
            @Pattern("^[0-9A-Fa-f:.]+/[0-9]{1,3}$")
            @JsonPropertyDescription("The client's address is one of these, such as 10.0.0.0/8 or fd00::/8.")
            String cidr,

            @Nullable @Pattern("^/[^?#\\s]*$") @JsonPropertyDescription("The path begins with this.")
            String pathPrefix,

            @Nullable @JsonPropertyDescription("A header has this value.")
            Header header) {}

    /** A header of a request. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Header(
            @Required @Pattern("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
            String name,

            @Required String value) {}
}
