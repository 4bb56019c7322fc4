package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sojourn.e2e.load.Load;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("A Prometheus that reads the chart's monitors has what the dashboard and the alerts ask for")
class MonitoringE2E extends ThirdParty {
    private static final Path DASHBOARD = Cluster.CHART.resolve("monitoring/dashboard.json");
    private static final Pattern SERIES = Pattern.compile("\\b(?:sojourn|envoy)_[a-z_]+");

    /** Rightly empty while all is well: of each kind of failure there is a series from its first on, and the kinds are many. */
    private static final List<String> OF_TROUBLE =
            List.of("sojourn_store_failures_total", "sojourn_request_errors_total");

    /** Of the alerts' expressions, and a minute: what was so for a moment at the start holds no longer. */
    private static final Duration LONGEST_LOOK_BACK = Duration.ofMinutes(11);

    @TempDir
    static Path scratch;

    private PrometheusServer prometheus;

    @BeforeAll
    void start() throws Exception {
        prometheus = new PrometheusServer(cluster, scratch);
        prometheus.start();
        cluster.install(
                Cluster.CHART,
                "--set=monitoring.serviceMonitor.enabled=true,monitoring.podMonitors.enabled=true",
                "--set=monitoring.prometheusRule.enabled=true,monitoring.dashboard.enabled=true",
                "--set=monitoring.interval=5s");
        shop.deployApplication();
        shop.applySessionCluster(Faulty::replicated);
        shop.awaitReady();
    }

    @Override
    void takeAway() {
        prometheus.close();
    }

    @Test
    @DisplayName(
            "every panel has data, no alert fires or stays pending, and none asks for what there is not, after a roll-out under load")
    void everyExpression() throws Exception {
        awaitTargets();
        List<String> dashboard = dashboard();
        List<String> alerts = alerts();
        assertThat(dashboard).hasSizeGreaterThan(15);
        assertThat(alerts).hasSizeGreaterThan(10);

        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            shop.restart();
            shop.awaitRolledOut();
            // Rates are of what happened while somebody clicked: asked before that is over.
            soon("every panel has data", () -> assertThat(without(dashboard)).isEmpty());
            Verdict.nobodyNoticed("watched by Prometheus", load.stop());
        }

        assertThat(without(series(alerts))).as("series that alerts ask for").isEmpty();
        assertThat(prometheus.alerts()).allSatisfy(alert -> {
            assertThat(alert.path("health").asText()).isEqualTo("ok");
            assertThat(alert.path("state").asText()).as(alert.toString()).isNotEqualTo("firing");
        });
        // Most fire only when what they ask for has been so for longer than this scenario takes: it must not stay so.
        soon(
                "no alert is pending",
                LONGEST_LOOK_BACK,
                () -> assertThat(prometheus.alerts())
                        .allSatisfy(alert -> assertThat(alert.path("state").asText())
                                .as(alert.toString())
                                .isEqualTo("inactive")));
    }

    /** Operators, sidecars, and of each Envoy itself and its edge. */
    private void awaitTargets() {
        for (String job :
                List.of("sojourn-metrics", "sojourn-system/sojourn-sidecars", "sojourn-system/sojourn-proxies")) {
            soon("Prometheus reaches all of " + job, () -> {
                assertThat(prometheus.ask("up{job=\"" + job + "\"} == 1")).isPositive();
                assertThat(prometheus.ask("up{job=\"" + job + "\"} == 0")).isZero();
            });
        }
    }

    private static void soon(String what, ThrowingRunnable assertion) {
        soon(what, Cluster.seconds(180), assertion);
    }

    private static void soon(String what, Duration within, ThrowingRunnable assertion) {
        await(what)
                .atMost(within)
                .pollInterval(Cluster.seconds(2))
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(assertion);
    }

    private Set<String> without(List<String> expressions) throws IOException, InterruptedException {
        var without = new TreeSet<String>();
        for (String expression : expressions) {
            if (OF_TROUBLE.stream().noneMatch(expression::contains) && prometheus.ask(expression) == 0) {
                without.add(expression);
            }
        }
        return without;
    }

    /** With the variables as they are where all is shown. */
    private static List<String> dashboard() throws IOException {
        return new ObjectMapper()
                .readTree(DASHBOARD.toFile()).findValuesAsText("expr").stream()
                        .map(expression -> expression
                                .replace("$namespace", SHOP)
                                .replace("$sessioncluster", ".*")
                                .replace("$__rate_interval", "5m"))
                        .toList();
    }

    private List<String> alerts() throws IOException, InterruptedException {
        soon(
                "Prometheus has taken the alerts",
                () -> assertThat(prometheus.alerts()).isNotEmpty());
        return prometheus.alerts().stream()
                .map(alert -> alert.path("query").asText())
                .toList();
    }

    private static List<String> series(List<String> expressions) {
        return expressions.stream()
                .flatMap(expression -> SERIES.matcher(expression).results().map(MatchResult::group))
                .distinct()
                .toList();
    }
}
