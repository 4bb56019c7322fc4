package dev.sojourn.operator.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sojourn.operator.config.InPod;
import dev.sojourn.operator.inject.SidecarVariablesTest;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyContainersTest {

    @ParameterizedTest
    @CsvSource({"10.244.1.7, 0.0.0.0:15901", "fd00:10:244:1::7, [::]:15901"})
    void theEdgeIsReachedByTheFamilyThatComesFirst(String podIp, String listens) {
        var config = InPod.with(Map.of("POD_IP", podIp));
        assertThat(ProxyContainers.edge(BehindEnvoy.with("{}"), config).getEnv())
                .filteredOn(env -> env.getName().equals("SOJOURN_HTTP"))
                .singleElement()
                .returns(listens, env -> env.getValue());
    }

    @Test
    void theEdgeKnowsAllThatItIsGiven() throws IOException {
        var proxy = BehindEnvoy.with("{healthCheckPath: /healthz}");
        var edge = ProxyContainers.edge(proxy, InPod.with(Map.of("POD_IP", "10.244.1.7")));
        assertThat(edge.getEnv()).isNotEmpty();
        assertThat(SidecarVariablesTest.known())
                .containsAll(edge.getEnv().stream().map(EnvVar::getName).toList());
    }

    /** Without this Envoys of a wrong path take the place of those that serve. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{} | ", "{healthCheckPath: /healthz} | /healthz"})
    void anEnvoyIsReadyOnlyOnceItsEdgeSaysThatItReachesTheApplication(String proxy, @Nullable String path) {
        var edge = ProxyContainers.edge(BehindEnvoy.with(proxy), InPod.with(Map.of("POD_IP", "10.244.1.7")));
        var probe = edge.getReadinessProbe().getHttpGet();
        assertThat(probe.getPath()).isEqualTo("/readyz");
        assertThat(probe.getPort().getIntVal()).isEqualTo(ProxyContainers.EDGE_PORT);
        var env = edge.getEnv().stream().collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
        assertThat(env).containsEntry("SOJOURN_EDGE_ADMIN", "127.0.0.1:" + EnvoyListener.ADMIN_PORT);
        assertThat(env.get("SOJOURN_EDGE_HEALTH_CHECK_PATH")).isEqualTo(path);
    }

    /** A quota on limits.cpu refuses a pod of which one container has none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | false",
                "{resources: {limits: {memory: 1Gi}}} | false",
                "{resources: {limits: {cpu: '2'}}} | true"
            })
    void whoLimitsEnvoysCpuLimitsThatOfItsHelpers(String proxy, boolean limited) {
        var cluster = BehindEnvoy.with(proxy);
        var config = InPod.with(Map.of("POD_IP", "10.244.1.7"));
        var containers = List.of(
                ProxyContainers.firstEndpoints(cluster, config),
                ProxyContainers.envoy(cluster, config),
                ProxyContainers.edge(cluster, config));
        assertThat(containers)
                .allSatisfy(container -> assertThat(
                                container.getResources().getLimits().containsKey("cpu"))
                        .as(container.getName())
                        .isEqualTo(limited));
    }

    /** A LimitRange may want more, or another proportion. */
    @Test
    void whatTheUserNamesOfTheEdgesResourcesTakesThePlaceOfOurs() {
        var cluster = BehindEnvoy.with("{edgeResources: {requests: {memory: 64Mi}, limits: {cpu: '1'}}}");
        var config = InPod.with(Map.of("POD_IP", "10.244.1.7"));
        assertThat(List.of(ProxyContainers.firstEndpoints(cluster, config), ProxyContainers.edge(cluster, config)))
                .extracting(Container::getResources)
                .allSatisfy(resources -> {
                    assertThat(resources.getRequests())
                            .isEqualTo(Map.of("cpu", new Quantity("10m"), "memory", new Quantity("64Mi")));
                    assertThat(resources.getLimits())
                            .isEqualTo(Map.of("cpu", new Quantity("1"), "memory", new Quantity("96Mi")));
                });
    }

    /** By names of containers, which every Kubernetes finds: init containers' are found from 1.33 on. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"{} | http", "{tls: {secretName: shop-tls}} | http,https"})
    void theServiceLeadsWithTlsOnlyToPodsThatHaveIt(String proxy, String names) {
        var cluster = BehindEnvoy.with(proxy);
        var edge = ProxyContainers.edge(cluster, InPod.with(Map.of("POD_IP", "10.244.1.7")));
        assertThat(new ProxyService().render(cluster).getSpec().getPorts())
                .extracting(port -> port.getTargetPort().getStrVal())
                .containsExactly(names.split(","));
        assertThat(edge.getPorts())
                .extracting(ContainerPort::getName)
                .containsExactly((names + ",edge-metrics").split(","));
    }
}
