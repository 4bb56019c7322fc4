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
    private static final Pattern SERIES = Pattern.compile("\\bsojourn_[a-z_]+");

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
