package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.IpFamily;
import dev.sojourn.operator.golden.Golden;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code envoy/in/*.yaml} are SessionClusters, {@code envoy/out} and {@code envoy/routes} what Envoy is told. */
class EnvoyBootstrapTest {

    private static final Golden GOLDEN = Golden.of("envoy", ".yaml");
    private static final Golden ROUTES = GOLDEN.to("routes");

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void rendersWhatTheGoldenFileSays(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        GOLDEN.check(name, EnvoyBootstrap.render(cluster, IpFamily.IPv4));
        ROUTES.check(name, EnvoyRoutes.render(cluster.getSpec()));
    }

    @ParameterizedTest
    @MethodSource("names")
    void whereIpv6ComesFirstOnlyTheListenersDiffer(String name) {
        var cluster = GOLDEN.sessionCluster(name);
        var wildcard = Pattern.compile("(?m)^( +)address: 0\\.0\\.0\\.0\n( +port_value: \\d+)\n");
        var usual = wildcard.matcher(EnvoyBootstrap.render(cluster, IpFamily.IPv4));
        assertThat(EnvoyBootstrap.render(cluster, IpFamily.IPv6))
                .isEqualTo(usual.replaceAll("$1address: \"::\"\n$2\n$1ipv4_compat: true\n"))
                .contains("\"::\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | 8192",
                "{resources: {limits: {memory: 1Gi}}} | 16384",
                "{resources: {limits: {memory: 64G}}} | 50000",
                "{resources: {requests: {memory: 64Mi}}} | 50000",
                "{resources: {limits: {cpu: 1}}} | 50000"
            })
    void asManyConnectionsAreAcceptedAsFitIntoItsMemory(String proxy, int connections) {
        assertThat(EnvoyBootstrap.render(BehindEnvoy.with(proxy), IpFamily.IPv4))
                .contains("max_active_downstream_connections: " + connections + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | 536870912",
                "{resources: {limits: {memory: 1Gi}}} | 1073741824",
                "{resources: {requests: {memory: 64Mi}}} | ",
                "{resources: {limits: {cpu: 1}}} | "
            })
    void itGuardsItsMemoryWhereThatHasALimit(String proxy, @Nullable String limit) {
        var bootstrap = EnvoyBootstrap.render(BehindEnvoy.with(proxy), IpFamily.IPv4);
        if (limit == null) {
            assertThat(bootstrap).doesNotContain("fixed_heap", "actions:", "refresh_interval");
        } else {
            assertThat(bootstrap).contains("max_heap_size_bytes: " + limit + "\n", "reset_high_memory_stream");
        }
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
        ROUTES.checkNoOrphans();
    }
}
