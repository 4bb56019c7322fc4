package dev.sojourn.e2e;

import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Tally;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/** {@code make demo}: 20 users click through Envoy while every pod is replaced, twice. */
public final class Demo {
    private static final int USERS = 20;
    private static final int RESTARTS = 2;

    private final Shop shop;
    private final Cluster cluster;

    private Demo(Cluster cluster) {
        this.cluster = cluster;
        this.shop = new Shop(cluster, "demo", 30080);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (var cluster = new Cluster()) {
            System.exit(new Demo(cluster).run() ? 0 : 1);
        } catch (org.awaitility.core.ConditionTimeoutException | IllegalStateException e) {
            System.err.println("error: " + e.getMessage() + "\nSee 'kubectl get events -A', and '" + takeDown()
                    + "' to clean up.");
            System.exit(1);
        }
    }

    private boolean run() throws IOException, InterruptedException {
        say("helm install sojourn");
        cluster.install();
        say("examples/tomcat-login: a Deployment of 3 stock Tomcats");
        shop.deployApplication();
        say("kubectl apply SessionCluster: store, proxy, and the pods roll once");
        shop.makeSessionAware();
        try (var departures = new Departures(cluster, shop.namespace(), "app", Shop.NAME)) {
            say(USERS + " users log in at " + shop.address());
            Load load = Load.start(shop.address(), USERS);
            for (int i = 1; i <= RESTARTS; i++) {
                say("kubectl rollout restart, " + i + " of " + RESTARTS);
                restartUnder(load);
            }
            Tally tally = load.stop();
            return report(tally, departures, load.lastRequestTo());
        }
    }

    private void restartUnder(Load load) throws InterruptedException {
        var progress = new Thread(
                () -> {
                    try {
                        while (true) {
                            Thread.sleep(1000);
                            Tally now = load.tally();
                            System.out.printf(
                                    "    %d requests, %d failures, %d sessions lost, %d stale reads%n",
                                    now.requests(), now.failures(), now.lost(), now.stale());
                        }
                    } catch (InterruptedException e) {
                        // The restart is over.
                    }
                },
                "progress");
        progress.start();
        shop.restart();
        shop.awaitRolledOut();
        progress.interrupt();
        progress.join();
    }

    private boolean report(Tally tally, Departures departures, Map<String, Instant> lastRequestTo) {
        System.out.printf(
                "%n  %-28s %10d%n  %-28s %10d%n  %-28s %10d%n  %-28s %10d%n",
                "requests",
                tally.requests(),
                "failures",
                tally.failures(),
                "sessions lost",
                tally.lost(),
                "stale reads",
                tally.stale());
        if (!tally.firstProblem().isEmpty()) {
            System.out.println("  first problem: " + tally.firstProblem());
        }
        System.out.printf("%n  %-34s %16s %16s %16s%n", "from a pod's deletion", "last request", "SIGTERM", "end");
        departures.pods().entrySet().stream()
                .filter(entry -> entry.getValue().deleted().isPresent())
                .sorted(Comparator.comparing(entry -> entry.getValue().deleted().orElseThrow()))
                .forEach(entry -> {
                    var departure = entry.getValue();
                    var last = Optional.ofNullable(lastRequestTo.get(entry.getKey()))
                            .map(sent -> Duration.between(departure.deleted().orElseThrow(), sent));
                    System.out.printf(
                            "  %-34s %16s %16s %16s%n",
                            entry.getKey(), ms(last), ms(departure.toSigterm()), ms(departure.toEnd()));
                });
        System.out.println("\nOpen " + shop.address()
                + " in a browser, log in, and try it: kubectl -n demo rollout restart deployment/tomcat-login");
        String kubeconfig = System.getenv("KUBECONFIG");
        if (kubeconfig != null && cluster.isOurs()) {
            System.out.println("export KUBECONFIG=" + kubeconfig);
        }
        System.out.println("Take it down with: " + takeDown());
        return tally.sessionsAreRight() && tally.failures() == 0;
    }

    /** What takes down the cluster that this runs on, or what it left there. */
    private static String takeDown() {
        var cluster = Optional.ofNullable(System.getenv("CLUSTER")).filter(name -> !name.equals("sojourn"));
        return cluster.map(name -> "CLUSTER=" + name + " ").orElse("") + "make demo-down";
    }

    /** A duration in milliseconds; negative where the last request came before the deletion. */
    private static String ms(Optional<Duration> duration) {
        return duration.map(d -> d.toMillis() + " ms").orElse("-");
    }

    private static void say(String what) {
        System.out.println("==> " + what);
    }
}
