package dev.sojourn.operator.proxy;

import static dev.sojourn.operator.proxy.EnvoyYaml.extension;
import static dev.sojourn.operator.proxy.EnvoyYaml.fields;
import static dev.sojourn.operator.proxy.EnvoyYaml.typed;

import dev.sojourn.operator.api.ProxyLimitsSpec;
import dev.sojourn.operator.api.ProxyLimitsSpec.Rate;
import dev.sojourn.operator.api.ProxyLimitsSpec.Traffic;
import dev.sojourn.operator.api.SessionClusterSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Limits. The filters stand in the listener and do nothing there; what they do comes with the routes, because a listener that changes
 * drains its connections, and routes are exchanged under them.
 */
final class EnvoyLimits {

    private static final String SESSION = "envoy.filters.http.header_to_metadata";
    private static final String DENY = "envoy.filters.http.rbac";
    private static final String RATES = "envoy.filters.http.local_ratelimit";
    private static final String DOWNLOAD = "sojourn.download";
    private static final String UPLOAD = "sojourn.upload";

    private static final String BANDWIDTH_TYPE = "envoy.extensions.filters.http.bandwidth_limit.v3.BandwidthLimit";
    private static final String RATES_TYPE = "envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit";

    /** Where the session cookie's value stands between two filters. */
    private static final String METADATA = "sojourn";

    /** Clients remembered at a time for each limit, some 200 bytes each; the one that was away longest is forgotten first. */
    private static final int MAX_CLIENTS = 10_000;

    private final ProxyLimitsSpec limits;
    private final String cookie;
    private final int envoys;

    private EnvoyLimits(ProxyLimitsSpec limits, SessionClusterSpec spec) {
        this.limits = limits;
        this.cookie = spec.session().cookie();
        this.envoys = spec.proxy().replicas();
    }

    static List<Object> filters() {
        return List.of(
                extension(SESSION, typed("envoy.extensions.filters.http.header_to_metadata.v3.Config")),
                extension(DENY, typed("envoy.extensions.filters.http.rbac.v3.RBAC")),
                extension(RATES, typed(RATES_TYPE, "stat_prefix", "limits")),
                extension(DOWNLOAD, typed(BANDWIDTH_TYPE, "stat_prefix", "download")),
                extension(UPLOAD, typed(BANDWIDTH_TYPE, "stat_prefix", "upload")));
    }

    /** What the filters do, by filter. */
    static Map<String, Object> of(SessionClusterSpec spec) {
        var limits = spec.proxy().limits();
        return limits == null ? Map.of() : new EnvoyLimits(limits, spec).perFilter();
    }

    private Map<String, Object> perFilter() {
        var perFilter = new LinkedHashMap<String, Object>();
        if (limits.perSession() != null) {
            perFilter.put(SESSION, session());
        }
        if (!limits.deny().isEmpty()) {
            perFilter.put(DENY, deny());
        }
        if (limits.requests() != null || limits.perSession() != null || limits.perAddress() != null) {
            perFilter.put(RATES, rates());
        }
        if (limits.download() != null) {
            perFilter.put(DOWNLOAD, bandwidth("download", "RESPONSE", limits.download()));
        }
        if (limits.upload() != null) {
            perFilter.put(UPLOAD, bandwidth("upload", "REQUEST", limits.upload()));
        }
        return perFilter;
    }

    private Map<String, Object> session() {
        var value = fields("metadata_namespace", METADATA, "key", "session", "type", "STRING");
        return typed(
                "envoy.extensions.filters.http.header_to_metadata.v3.Config",
                "request_rules",
                List.of(fields("cookie", cookie, "on_header_present", value)));
    }

    private Map<String, Object> deny() {
        var policies = new LinkedHashMap<String, Object>();
        for (var traffic : limits.deny()) {
            var any = List.of(fields("any", true));
            var name = "deny-" + policies.size();
            policies.put(
                    name,
                    traffic.cidr() == null
                            ? fields("permissions", List.of(fields("header", header(traffic))), "principals", any)
                            : fields(
                                    "permissions",
                                    any,
                                    "principals",
                                    List.of(fields("remote_ip", cidr(traffic.cidr())))));
        }
        return typed(
                "envoy.extensions.filters.http.rbac.v3.RBACPerRoute",
                "rbac",
                fields("rules", fields("action", "DENY", "policies", policies)));
    }

    private Map<String, Object> rates() {
        var actions = new ArrayList<>();
        var descriptors = new ArrayList<>();
        if (limits.requests() != null) {
            add("requests", null, null, bucket(limits.requests(), envoys), actions, descriptors);
        }
        if (limits.perSession() != null) {
            var path = fields("key", METADATA, "path", List.of(fields("key", "session")));
            var action = fields("metadata", fields("descriptor_key", "session", "metadata_key", path));
            add("session", action, "session", bucket(limits.perSession(), 1), actions, descriptors);
        }
        if (limits.perAddress() != null) {
            // A household or a phone has a /64 of its own, and could take another address of it for each request.
            var action = fields("masked_remote_address", fields("v6_prefix_mask_len", 64));
            add("address", action, "masked_remote_address", bucket(limits.perAddress(), 1), actions, descriptors);
        }
        var always = fields("default_value", fields("numerator", 100, "denominator", "HUNDRED"));
        return typed(
                RATES_TYPE,
                "stat_prefix",
                "limits",
                "filter_enabled",
                always,
                "filter_enforced",
                always,
                // For requests that no descriptor matches: those that are exempt.
                "token_bucket",
                fields("max_tokens", 4_294_967_295L, "tokens_per_fill", 4_294_967_295L, "fill_interval", "1s"),
                "always_consume_default_token_bucket",
                false,
                "rate_limits",
                actions,
                "descriptors",
                descriptors,
                "max_dynamic_descriptors",
                MAX_CLIENTS,
                "enable_x_ratelimit_headers",
                "DRAFT_VERSION_03",
                "enable_retry_after_header",
                true);
    }

    /** One limit: how a request is described, where an exempt one is not, and the bucket of those that are described so. */
    private void add(
            String limit,
            @Nullable Object client,
            @Nullable String clientKey,
            Map<String, Object> bucket,
            List<Object> actions,
            List<Object> descriptors) {
        var description = new ArrayList<>();
        var entries = new ArrayList<>();
        for (int i = 0; i < limits.exempt().size(); i++) {
            description.add(unless(limits.exempt().get(i), "exempt-" + i));
            entries.add(fields("key", "exempt-" + i, "value", "no"));
        }
        description.add(fields("generic_key", fields("descriptor_key", "limit", "descriptor_value", limit)));
        entries.add(fields("key", "limit", "value", limit));
        if (client != null && clientKey != null) {
            description.add(client);
            // Without a value: a bucket for each that comes.
            entries.add(fields("key", clientKey));
        }
        actions.add(fields("actions", description));
        descriptors.add(fields("entries", entries, "token_bucket", bucket));
    }

    /** An entry of the description; a request that this is true of gets none, and no description. */
    private static Object unless(Traffic traffic, String key) {
        if (traffic.cidr() != null) {
            return fields(
                    "remote_address_match",
                    fields(
                            "descriptor_key",
                            key,
                            "descriptor_value",
                            "no",
                            "address_matcher",
                            fields("ranges", List.of(cidr(traffic.cidr())), "invert_match", true)));
        }
        return fields(
                "header_value_match",
                fields(
                        "descriptor_key",
                        key,
                        "descriptor_value",
                        "no",
                        "expect_match",
                        false,
                        "headers",
                        List.of(header(traffic))));
    }

    /** The interval is what is divided by the number of Envoys, or rather multiplied: that leaves nothing over. */
    private static Map<String, Object> bucket(Rate rate, int envoys) {
        return fields(
                "max_tokens",
                shareOf(rate.bucket(), envoys),
                "tokens_per_fill",
                rate.requests(),
                "fill_interval",
                (long) rate.seconds() * envoys + "s");
    }

    private static int shareOf(int whole, int envoys) {
        return (whole + envoys - 1) / envoys;
    }

    private Map<String, Object> bandwidth(String name, String direction, String rate) {
        var kibibytes = Integer.parseInt(rate.substring(0, rate.indexOf("KiB/s")));
        return typed(
                BANDWIDTH_TYPE,
                "stat_prefix",
                name,
                "enable_mode",
                direction,
                "limit_kbps",
                shareOf(kibibytes, envoys),
                "fill_interval",
                "0.05s");
    }

    private static Map<String, Object> header(Traffic traffic) {
        var header = traffic.header();
        return header == null
                ? fields(
                        "name",
                        ":path",
                        "string_match",
                        fields(
                                "prefix",
                                Objects.requireNonNull(traffic.pathPrefix(), "the schema demands one of three")))
                : fields("name", header.name(), "string_match", fields("exact", header.value()));
    }

    private static Map<String, Object> cidr(String cidr) {
        var slash = cidr.indexOf('/');
        return fields(
                "address_prefix", cidr.substring(0, slash), "prefix_len", Integer.parseInt(cidr.substring(slash + 1)));
    }
}
