package dev.sojourn.operator.inject;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sojourn.operator.api.InjectionSettings;
import dev.sojourn.operator.config.IpFamily;
import dev.sojourn.operator.golden.Golden;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code inject/in/*.json}: {@code settings} (what differs from the usual ones) and {@code pod}; {@code inject/out/*.json}: the pod
 * injected, the refusal if there is one, and the warnings.
 */
class InjectorTest {

    private static final Golden GOLDEN = Golden.of("inject", ".json");
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final Injector INJECTOR = injector(IpFamily.IPv4, false);

    private static final InjectionSettings USUAL =
            InjectionSettings.plain("shop.web", "redis://web-store.shop.svc:6379", "web-store", null);

    static List<String> names() {
        return GOLDEN.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void injectsWhatTheGoldenFileSays(String name) {
        var node = read(GOLDEN.input(name));
        var injection = INJECTOR.inject(node.path("pod"), settings(node), inUse(node));
        var output = JSON.createObjectNode().<ObjectNode>set("pod", injection.pod());
        injection.refusal().ifPresent(refusal -> output.put("refusal", refusal));
        injection.warnings().forEach(warning -> output.withArray("warnings").add(warning));
        GOLDEN.check(name, write(output) + "\n");
    }

    @ParameterizedTest
    @MethodSource("names")
    void injectingTwiceIsInjectingOnce(String name) {
        var node = read(GOLDEN.input(name));
        var once =
                INJECTOR.inject(node.path("pod"), settings(node), inUse(node)).pod();
        assertThat(INJECTOR.inject(once, settings(node), inUse(node)).pod()).isEqualTo(once);
    }

    @Test
    void anImageThatOthersChangedSinceStaysAsTheyHaveIt() {
        var changed = changedSince();
        assertThat(INJECTOR.inject(changed, USUAL, false).pod()).isEqualTo(changed);
    }

    @Test
    void anImageOfAnInjectionWithOtherSettingsIsReplaced() {
        var pod = changedSince();
        ((ObjectNode) pod.at("/metadata/annotations")).put("sojourn.dev/injected", "others");
        assertThat(INJECTOR.inject(pod, USUAL, false).pod()).isEqualTo(injected());
    }

    /** Restored from a backup, perhaps, when sessions had long moved. */
    @Test
    void theCopyOfAPodWithOtherSettingsKeepsNoneOfThem() {
        var pod = read(GOLDEN.input("plain")).path("pod");
        var before = settings(read("""
                {"settings": {"storeOutage": "Refuse", "caSecret": "of-before",
                 "previous": {"url": "redis://gone:6379", "credentialsSecret": "gone"}}}
                """));
        var copy = INJECTOR.inject(pod, before, true).pod();
        assertThat(INJECTOR.inject(copy, USUAL, false).pod())
                .isEqualTo(INJECTOR.inject(pod, USUAL, false).pod());
    }

    @Test
    void aVolumeOfTheUsersThatIsCalledAsOneOfOursCouldBeStays() {
        var pod = read(GOLDEN.input("plain")).path("pod");
        ((ObjectNode) pod.path("spec")).putArray("volumes").addObject().put("name", "sojourn-other-store");
        var again =
                INJECTOR.inject(INJECTOR.inject(pod, USUAL, false).pod(), usualWith("storeOutage", "Refuse"), false);
        assertThat(again.pod().at("/spec/volumes").findValuesAsText("name")).contains("sojourn-other-store");
    }

    private static InjectionSettings usualWith(String setting, String value) {
        return settings(
                JSON.createObjectNode().set("settings", JSON.createObjectNode().put(setting, value)));
    }

    @Test
    void theCopyOfAPodOfAnotherVersionGetsTheImageOfThisOne() {
        var older = new Injector(new SidecarSpec("sojourn/sidecar:older", "Always", IpFamily.IPv4, false));
        assertThat(INJECTOR.inject(injected(older), USUAL, false).pod()).isEqualTo(injected());
    }

    @Test
    void theCopyOfAPodThatDoesNotSayItsImageGetsTheImageOfThisVersion() {
        var pod = changedSince();
        ((ObjectNode) pod.at("/metadata/annotations")).remove("sojourn.dev/injected-image");
        assertThat(INJECTOR.inject(pod, USUAL, false).pod()).isEqualTo(injected());
    }

    @Test
    void whenAMeshHasPutItsProxyInTheSidecarIsAsIfItHadBeenThereBefore() {
        var before =
                read(GOLDEN.input("no-ports-declared-and-linkerds-proxy-first")).path("pod");
        var pod = before.deepCopy();
        var proxy = ((ArrayNode) pod.at("/spec/containers")).remove(0);
        var injected = (ObjectNode) INJECTOR.inject(pod, USUAL, false).pod();
        ((ArrayNode) injected.at("/spec/containers")).insert(0, proxy);
        var again = INJECTOR.inject(injected, USUAL, false);
        assertThat(again.refusal()).isEmpty();
        assertThat(again.pod()).isEqualTo(INJECTOR.inject(before, USUAL, false).pod());
    }

    @Test
    void whatOthersPutInSinceUndoesNoInjection() {
        var pod = read(GOLDEN.input("plain")).path("pod");
        ((ObjectNode) pod.at("/spec/containers/0")).remove("ports");
        var injected = (ObjectNode) INJECTOR.inject(pod, USUAL, false).pod();
        ((ArrayNode) injected.at("/spec/containers")).add(read("""
                {"name": "some-proxy", "image": "p", "ports": [{"containerPort": 20000}]}
                """));
        var again = INJECTOR.inject(injected, USUAL, false);
        assertThat(again.refusal()).isEmpty();
        assertThat(again.pod()).isEqualTo(injected);
    }

    private static ObjectNode injected() {
        return injected(INJECTOR);
    }

    private static ObjectNode injected(Injector injector) {
        return (ObjectNode) injector.inject(read(GOLDEN.input("plain")).path("pod"), USUAL, false)
                .pod();
    }

    /** As by AlwaysPullImages, and by a policy that pins images to their digests. */
    private static ObjectNode changedSince() {
        var pod = injected();
        var sidecar = (ObjectNode) pod.at("/spec/initContainers/0");
        sidecar.put("image", "mirror.example.com/sojourn/sidecar@sha256:0123").put("imagePullPolicy", "Always");
        return pod;
    }

    @ParameterizedTest
    @MethodSource("names")
    void theOriginalIsNotTouched(String name) {
        var node = read(GOLDEN.input(name));
        var before = node.deepCopy();
        INJECTOR.inject(node.path("pod"), settings(node), inUse(node));
        assertThat((Object) node).isEqualTo(before);
    }

    @Test
    void whereTheClusterAssignsUsersTheSidecarHasTheApplicationsOrNone() {
        assertThat(assigned("{}").has("runAsUser")).isFalse();
        assertThat(assigned("{\"runAsUser\": 1000650000}").path("runAsUser").asLong())
                .isEqualTo(1_000_650_000);
        // Whoever lets root in lets this one in.
        assertThat(assigned("{\"runAsUser\": 0}").path("runAsUser").asLong()).isEqualTo(65532);
    }

    private static JsonNode assigned(String securityContext) {
        var pod = read("""
                {"metadata": {"labels": {"sojourn.dev/cluster": "web"}}, "spec": {"securityContext": %s,
                 "containers": [{"name": "app", "image": "app", "ports": [{"containerPort": 8080}]}]}}
                """.formatted(securityContext));
        return injector(IpFamily.IPv4, true)
                .inject(pod, USUAL, false)
                .pod()
                .at("/spec/initContainers/0/securityContext");
    }

    private static Injector injector(IpFamily ipFamily, boolean assignedUsers) {
        return new Injector(new SidecarSpec("sojourn/sidecar:test", "IfNotPresent", ipFamily, assignedUsers));
    }

    @Test
    void whereIpv6ComesFirstTheSidecarIsReachedByIt() {
        var node = read(GOLDEN.input("plain"));
        var usual = write(
                INJECTOR.inject(node.path("pod"), settings(node), inUse(node)).pod());
        var pod = injector(IpFamily.IPv6, false)
                .inject(node.path("pod"), settings(node), inUse(node))
                .pod();
        assertThat(write(pod))
                .isEqualTo(usual.replace("0.0.0.0:15900", "[::]:15900"))
                .contains("[::]:15900");
    }

    @Test
    void behindAMeshTheSidecarIsAskedWhereItListens() {
        var node = read(GOLDEN.input("after-a-mesh-proxy"));
        var pod = injector(IpFamily.IPv6, false)
                .inject(node.path("pod"), settings(node), inUse(node))
                .pod();
        assertThat(pod.findValues("command").stream().map(JsonNode::toString))
                .contains("[\"/sojournd\",\"probe\",\"http://[::1]:15900/readyz\"]");
    }

    @Test
    void everyOutputHasAnInput() {
        GOLDEN.checkNoOrphans();
    }

    private static boolean inUse(JsonNode node) {
        return node.path("storeInUse").asBoolean();
    }

    private static InjectionSettings settings(JsonNode node) {
        try {
            var merged = JSON.readerForUpdating(JSON.valueToTree(USUAL)).<JsonNode>readValue(node.path("settings"));
            return JSON.treeToValue(merged, InjectionSettings.class);
        } catch (java.io.IOException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static JsonNode read(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static String write(JsonNode node) {
        try {
            return JSON.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
