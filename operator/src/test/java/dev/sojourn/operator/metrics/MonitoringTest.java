package dev.sojourn.operator.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.sojourn.operator.api.SessionCluster;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheus.PrometheusConfig;
import io.micrometer.prometheus.PrometheusMeterRegistry;
import io.quarkus.runtime.Startup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An alert on a series that nobody exports never fires, and nobody notices. */
class MonitoringTest {

    private static final Path CHART = Path.of("..", "charts", "sojourn", "monitoring");
    private static final String SETTINGS =
            "{cluster: shop.web, port: 8080, storeUrl: 'redis://web-store.shop.svc:6379'}";
    private static final Pattern SERIES = Pattern.compile("\\b(sojourn|process)_[a-z_]+");

    @Test
    void everySeriesOfAnAlertIsExported() throws IOException {
        var alerts =
                new YAMLMapper().readTree(CHART.resolve("alerts.yaml").toFile()).findValuesAsText("expr");
        assertThat(series(alerts)).hasSizeGreaterThan(10).isSubsetOf(ExportedNames.all());
    }

    @Test
    void everySeriesOfTheDashboardIsExported() throws IOException {
        var dashboard =
                new ObjectMapper().readTree(CHART.resolve("dashboard.json").toFile());
        var expressions = dashboard.findValuesAsText("expr");
        expressions.addAll(dashboard.findValuesAsText("definition"));
        assertThat(series(expressions)).hasSizeGreaterThan(15).isSubsetOf(ExportedNames.all());
    }

    @Test
    void everyAlertHasARunbook() throws IOException {
        var headings = Files.readAllLines(Path.of("..", "docs", "alerts.md")).stream()
                .filter(line -> line.startsWith("## "))
                .map(line -> line.substring(3))
                .toList();
        JsonNode alerts = new YAMLMapper().readTree(CHART.resolve("alerts.yaml").toFile());
        assertThat(headings).containsExactlyInAnyOrderElementsOf(alerts.findValuesAsText("alert"));
    }

    /** A bean is made with its first use, unless it asks not to be: without a SessionCluster the operator would be taken for down. */
    @Test
    void whatSaysThatThereIsAnOperatorIsThereFromTheStart() {
        assertThat(SessionClusterMetrics.class).hasAnnotation(Startup.class);
    }

    @Test
    void aStatusIsSeenAsItIsAndForgottenWithItsSessionCluster() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var metrics = new SessionClusterMetrics(registry);
        assertThat(registry.scrape()).contains("sojourn_reconcile_failures_total 0.0");
        var cluster = cluster("web", "False", 2);
        metrics.tell(cluster, cluster.getStatus());
        assertThat(registry.scrape().lines())
                .contains(
                        line("condition", ",status=\"False\",type=\"StoreReady\"", 1),
                        line("condition", ",status=\"True\",type=\"StoreReady\"", 0),
                        line("condition", ",status=\"Unknown\",type=\"StoreReady\"", 0),
                        line("pods_injected", "", 2),
                        line("pods_wanted", "", 3));
        metrics.forget(cluster);
        assertThat(registry.scrape()).doesNotContain("namespace=\"shop\"");
    }

    /** One that is registered anew is missing from a scrape in between, and an alert's {@code for} begins again. */
    @Test
    void aSeriesThatIsToldOfAgainIsNeverTakenAway() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var metrics = new SessionClusterMetrics(registry);
        Stream.of(cluster("web", "False", 2), cluster("other", "False", 2))
                .forEach(cluster -> metrics.tell(cluster, cluster.getStatus()));
        var registered = new ArrayList<Meter>();
        registry.config().onMeterAdded(registered::add).onMeterRemoved(registered::add);
        var later = cluster("web", "True", 3);
        metrics.tell(later, later.getStatus());
        assertThat(registered).isEmpty();
        assertThat(registry.scrape().lines())
                .contains(
                        line("condition", ",status=\"False\",type=\"StoreReady\"", 0),
                        line("condition", ",status=\"True\",type=\"StoreReady\"", 1),
                        line("pods_injected", "", 3));
    }

    /** Its Envoys are there, and have nobody to ask: an alert that wants pods to be wanted would say nothing of it. */
    @Test
    void ofAWorkloadThatHadTheSidecarAndHasGoneAPodIsWanted() {
        assertThat(pods("WorkloadNotFound", 0, SETTINGS)).contains(line("pods_wanted", "", 1));
        assertThat(pods("WorkloadNotFound", 3, SETTINGS)).contains(line("pods_wanted", "", 3));
        // Not there yet.
        assertThat(pods("WorkloadNotFound", 0, "null")).contains(line("pods_wanted", "", 0));
        // There, and scaled to none.
        assertThat(pods("NoPods", 0, SETTINGS)).contains(line("pods_wanted", "", 0));
    }

    private static Stream<String> pods(String reason, int total, String injection) {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        var cluster = Serialization.unmarshal("""
                apiVersion: sojourn.dev/v1alpha1
                kind: SessionCluster
                metadata: {name: web, namespace: shop}
                status:
                  conditions: [{type: InjectionReady, status: "False", reason: %s, message: ""}]
                  totalPods: %d
                  injection: %s
                """.formatted(reason, total, injection), SessionCluster.class);
        new SessionClusterMetrics(registry).tell(cluster, cluster.getStatus());
        return registry.scrape().lines();
    }

    private static SessionCluster cluster(String name, String storeReady, int injected) {
        return Serialization.unmarshal("""
                apiVersion: sojourn.dev/v1alpha1
                kind: SessionCluster
                metadata: {name: %s, namespace: shop}
                status:
                  conditions: [{type: StoreReady, status: "%s", reason: StoreStarting, message: ""}]
                  injectedPods: %d
                  totalPods: 3
                """.formatted(name, storeReady, injected), SessionCluster.class);
    }

    private static String line(String name, String labels, int value) {
        return "sojourn_sessioncluster_" + name + "{namespace=\"shop\",sessioncluster=\"web\"" + labels + ",} " + value
                + ".0";
    }

    private static Set<String> series(List<String> expressions) {
        var names = new TreeSet<String>();
        expressions.forEach(expression -> SERIES.matcher(expression).results().forEach(hit -> names.add(hit.group())));
        return names;
    }
}
