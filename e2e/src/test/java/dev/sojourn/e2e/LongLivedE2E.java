package dev.sojourn.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sojourn.e2e.load.Browser;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(World.class)
@DisplayName("Requests and WebSockets that would live longer than their pod")
class LongLivedE2E {
    private static final String LONGER_THAN_ANY_SCENARIO = "600000";
    private static final Map<String, String> PAGES =
            Map.of("slow.jsp", "slow.jsp", "socket.jsp", "socket.jsp", "web.xml", "WEB-INF/web.xml");

    private static final Pattern CUT =
            Pattern.compile("sojourn: draining done after (\\d+) ms, ([1-9]\\d*) requests in flight");

    private static Shop shop;
    private static Cluster cluster;
    private final HttpClient http = HttpClient.newHttpClient();
    /** Of the pod that was deleted. */
    private final Queue<String> log = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void deploy(Cluster world) {
        cluster = world;
        shop = new Shop(world, "e2e-long");
        shop.deployApplication();
        addPages();
        shop.makeSessionAware();
    }

    @AfterAll
    static void takeAway() {
        shop.close();
    }

    /** A second application beside the shop's own: {@code /long}. */
    private static void addPages() {
        var pages = new ConfigMapBuilder()
                .withNewMetadata()
                .withName("long")
                .withNamespace(shop.namespace())
                .endMetadata();
        PAGES.keySet().forEach(name -> pages.addToData(name, Resource.text("/long/" + name)));
        cluster.client().resource(pages.build()).serverSideApply();
        shop.deployment()
                .edit(deployment -> deployment
                        .edit()
                        .editSpec()
                        .editTemplate()
                        .editSpec()
                        .addNewVolume()
                        .withName("long")
                        .withNewConfigMap()
                        .withName("long")
                        .endConfigMap()
                        .endVolume()
                        .editFirstContainer()
                        .addAllToVolumeMounts(PAGES.entrySet().stream()
                                .map(page -> mount(page.getKey(), page.getValue()))
                                .toList())
                        .endContainer()
                        .endSpec()
                        .endTemplate()
                        .endSpec()
                        .build());
        shop.awaitRolledOut();
    }

    /** One by one: the files of a whole volume are links, which Tomcat does not follow. */
    private static VolumeMount mount(String name, String path) {
        return new VolumeMountBuilder()
                .withName("long")
                .withSubPath(name)
                .withMountPath("/opt/tomcat/webapps/long/" + path)
                .build();
    }

    @Test
    @DisplayName("a request that its pod has begun is answered to its end, though the pod was deleted meanwhile")
    void longRequest() throws Exception {
        // Longer than the request, whichever of the scenarios came before.
        drain(Map.of("deadline", "25s"), "None");
        try (var answer = begin("6000")) {
            Pod pod = delete(answer.readLine());

            assertThat(answer.readLine()).isEqualTo("done 1");

            awaitGone(pod);
        }
    }

    @Test
    @DisplayName("a request that does not end is cut at the deadline, and what its session had is elsewhere")
    void endlessRequest() throws Exception {
        // Longer than where it is not set, and shorter than Kubernetes waits: neither of them is taken for it.
        drain(Map.of("deadline", "14s"), "None");
        var browser = new Browser(http, shop.address(), "endless");
        browser.login();
        browser.click();
        try (var answer = begin(LONGER_THAN_ANY_SCENARIO)) {
            Pod pod = delete(answer.readLine());

            awaitGone(pod);

            assertThatCut(answer);
            assertThat(awaitCutAfter()).isGreaterThanOrEqualTo(14_000);
        }
        assertThat(browser.click().clicks()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "Immediate: a WebSocket holds no pod back; it is told to go away, and comes back elsewhere in the same session")
    void webSocket() throws Exception {
        drain(Map.of("mode", "Immediate"), "None");
        var browser = new Browser(http, shop.address(), "socket");
        browser.login();
        browser.click();
        var socket = EchoSocket.open(http, shop.address(), browser);
        Pod pod = delete(socket.echo("before"));

        int code = socket.awaitClosed();
        awaitGone(pod);

        assertThat(code)
                .as(() ->
                        "the code of a server that goes away, RFC 6455, 7.4.1; at its end the pod said\n" + endOfLog())
                .isEqualTo(1001);
        var again = EchoSocket.open(http, shop.address(), browser);
        assertThat(again.echo("after")).isNotEqualTo(pod.getMetadata().getName());
        again.close();
        assertThat(browser.click().clicks()).isEqualTo(2);
    }

    @Test
    @Tag("faults")
    @DisplayName("Sticky: a WebSocket goes on until the deadline, and its session elsewhere after it")
    void stickyWebSocket() throws Exception {
        drain(Map.of("mode", "Sticky", "deadline", "30s"), "Cookie");
        var browser = new Browser(http, shop.address(), "sticky");
        browser.login();
        browser.click();
        var socket = EchoSocket.open(http, shop.address(), browser);
        Pod pod = delete(socket.echo("before"));
        await("new users are served elsewhere")
                .atMost(Cluster.seconds(20))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    var pods = new TreeSet<String>();
                    for (int i = 0; i < 6; i++) {
                        var other = new Browser(http, shop.address(), "new");
                        other.login();
                        pods.add(other.click().pod());
                    }
                    return !pods.contains(pod.getMetadata().getName());
                });

        assertThat(socket.echo("meanwhile")).isEqualTo(pod.getMetadata().getName());
        // Envoy lets go of the pod at the same deadline: who is faster says how.
        assertThat(socket.awaitClosed()).as("told to go away, or cut").isIn(1001, 1006);

        awaitGone(pod);
        assertThat(browser.click().clicks()).isEqualTo(2);
    }

    private static void drain(Map<String, Object> settings, String stickiness) {
        shop.applySessionCluster(spec -> {
            Shop.child(spec, "proxy").put("stickiness", stickiness);
            // Who cut a connection that was not to be cut.
            Shop.child(spec, "proxy").put("accessLog", true);
            Shop.child(spec, "drain").putAll(settings);
            return spec;
        });
        shop.awaitProxyRolledOut();
        shop.awaitReady();
    }

    /** The answer of a page whose first line, the pod's name, is there at once. */
    private BufferedReader begin(String millis) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(shop.address().resolve("/long/slow.jsp?ms=" + millis))
                .build();
        var response = http.send(request, BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    /** A line that has no end is cut, too: {@code done} is what only a whole answer says. */
    private static void assertThatCut(BufferedReader answer) {
        try {
            assertThat(answer.readLine()).isNull();
        } catch (IOException e) {
            assertThat(e).hasMessageNotContaining("timed out");
        }
    }

    /** The milliseconds for which the agent held SIGTERM back, until it left requests to their fate. */
    private long awaitCutAfter() {
        // Not at the end of its log: Tomcat's own words of the request that was cut follow.
        await("the agent says that requests are in flight still")
                .atMost(Cluster.seconds(20))
                .untilAsserted(() -> assertThat(String.join("\n", log)).containsPattern(CUT));
        return CUT.matcher(String.join("\n", log))
                .results()
                .mapToLong(cut -> Long.parseLong(cut.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private String endOfLog() {
        var lines = List.copyOf(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
    }

    private Pod delete(String name) {
        var pod = cluster.client().pods().inNamespace(shop.namespace()).withName(name);
        Pod found = pod.get();
        assertThat(found).as("the pod that says it is " + name).isNotNull();
        PodLog.follow(cluster, shop.namespace(), name, log::add, () -> {});
        await("the log of " + name).atMost(Cluster.seconds(60)).until(() -> !log.isEmpty());
        pod.delete();
        return found;
    }

    private static void awaitGone(Pod pod) {
        await(pod.getMetadata().getName() + " is gone")
                .atMost(Cluster.seconds(60))
                .until(() -> cluster.client()
                                .pods()
                                .inNamespace(shop.namespace())
                                .withName(pod.getMetadata().getName())
                                .get()
                        == null);
        shop.awaitRolledOut();
    }
}
