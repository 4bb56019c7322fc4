package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Browser;
import dev.sojourn.e2e.load.Load;
import dev.sojourn.e2e.load.Tally;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.net.http.HttpClient;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

@ExtendWith(World.class)
@ResourceLock(World.SHOP)
@DisplayName("A restart of the store loses no session")
class StoreRestartE2E {
    private static final int USERS = 20;

    @Test
    @DisplayName("sessions are still there after the store's pod was replaced, also on pods that never held them")
    void sessionsAreStillThere(Shop shop, Cluster cluster) throws Exception {
        var browser = new Browser(HttpClient.newHttpClient(), shop.address(), "keeper");
        browser.login();
        int before = browser.click().clicks();

        replaceStore(shop, cluster);
        shop.restart();
        shop.awaitRolledOut();

        assertThat(browser.click().clicks()).as("clicks").isEqualTo(before + 1);
    }

    /** With {@code Refuse} nobody is served what only his pod holds, however long the kubelet takes to mount the store's volume. */
    @Test
    @DisplayName("while 20 users click, with storeOutage: Refuse: whoever is answered sees the last of what he did")
    void underLoad(Shop shop, Cluster cluster) throws Exception {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "replication").put("storeOutage", "Refuse");
            return spec;
        });
        shop.awaitReady();
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            replaceStore(shop, cluster);
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("store replaced: %s%n", tally);
            assertThat(tally.sessionsAreRight()).as(tally.firstProblem()).isTrue();
        } finally {
            shop.makeSessionAware();
        }
    }

    @Test
    @Tag("faults")
    @DisplayName(
            "away for longer than requests wait: on a pod that does not hold his session a user is told to come again,"
                    + " and nobody is logged out")
    void awayForLong(Shop shop, Cluster cluster) throws Exception {
        // Nobody has clicked often enough for every pod to hold his session.
        try (var load = Load.start(shop.address(), USERS)) {
            whileAway(
                    shop,
                    cluster,
                    () -> await("answers of 503")
                            .atMost(Cluster.seconds(60))
                            .until(() -> load.tally().failures() > USERS));
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("store away for long: %s%n", tally);
            assertThat(tally.lost())
                    .as("sessions lost: " + tally.firstProblem())
                    .isZero();
        }
    }

    @Test
    @Tag("faults")
    @DisplayName("away while users log in: no pod that reaches it again before theirs takes them for strangers")
    void awayWhileTheyLogIn(Shop shop, Cluster cluster) throws Exception {
        try (var load = whileAway(shop, cluster, () -> Load.start(shop.address(), USERS))) {
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("users logged in while the store was away: %s%n", tally);
            assertThat(tally.lost() + tally.corrupt())
                    .as("sessions lost or corrupt: " + tally.firstProblem())
                    .isZero();
        }
    }

    @Test
    @Tag("faults")
    @DisplayName("away while a pod starts: who comes to that one is told to come again, and nobody is logged out")
    void awayWhileAPodStarts(Shop shop, Cluster cluster) throws Exception {
        // A pod gets to know when it is created whether the store has been reached by then.
        shop.restart();
        shop.awaitRolledOut();
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            whileAway(shop, cluster, () -> {
                replaceOne(shop, cluster);
                long before = load.tally().failures();
                await("answers of 503")
                        .atMost(Cluster.seconds(60))
                        .until(() -> load.tally().failures() > before + USERS);
            });
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("a pod started while the store was away: %s%n", tally);
            assertThat(tally.lost())
                    .as("sessions lost: " + tally.firstProblem())
                    .isZero();
        }
    }

    @Test
    @Tag("faults")
    @DisplayName("away for a minute: who comes back to his pod notices nothing")
    void awayForAMinute(Shop shop, Cluster cluster) throws Exception {
        stickiness(shop, "Cookie");
        try (var load = Load.start(shop.address(), USERS)) {
            load.awaitClicks();
            Instant end = Instant.now().plusSeconds(60);
            whileAway(
                    shop,
                    cluster,
                    () -> await("a minute to pass")
                            .atMost(Cluster.seconds(90))
                            .until(() -> Instant.now().isAfter(end)));
            load.awaitClicks();
            Tally tally = load.stop();

            System.out.printf("store away for a minute, sticky: %s%n", tally);
            assertThat(tally.failures() + tally.lost() + tally.stale() + tally.corrupt())
                    .as(tally.firstProblem())
                    .isZero();
        } finally {
            stickiness(shop, "None");
        }
    }

    private static void stickiness(Shop shop, String stickiness) {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("stickiness", stickiness);
            return spec;
        });
        shop.awaitProxyRolledOut();
    }

    private static void whileAway(Shop shop, Cluster cluster, Runnable wait) throws Exception {
        whileAway(shop, cluster, Executors.callable(wait));
    }

    /** Refused at once, as where nothing listens. */
    private static <T> T whileAway(Shop shop, Cluster cluster, Callable<T> work) throws Exception {
        var store = store(shop, cluster).get();
        String rule = " INPUT -p tcp --dport 6379 -j REJECT --reject-with tcp-reset";
        cluster.inNetworkOf(store, "iptables -w -I" + rule);
        try {
            return work.call();
        } finally {
            cluster.inNetworkOf(store, "iptables -w -D" + rule);
        }
    }

    /** It is ready after a minute, store or not. */
    private static void replaceOne(Shop shop, Cluster cluster) {
        Set<String> before =
                shop.pods().stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.toSet());
        cluster.client().resource(shop.pods().get(0)).delete();
        await("another pod")
                .atMost(Cluster.seconds(240))
                .until(() -> shop.pods().stream()
                        .anyMatch(pod -> !before.contains(pod.getMetadata().getName()) && Readiness.isPodReady(pod)));
    }

    private static PodResource store(Shop shop, Cluster cluster) {
        return cluster.client().pods().inNamespace(shop.namespace()).withName(Shop.NAME + "-store-0");
    }

    private static void replaceStore(Shop shop, Cluster cluster) {
        PodResource store = store(shop, cluster);
        String old = store.get().getMetadata().getUid();
        store.delete();
        await("the store is back").atMost(Cluster.seconds(120)).until(() -> {
            var pod = store.get();
            return pod != null && !pod.getMetadata().getUid().equals(old) && Readiness.isPodReady(pod);
        });
    }
}
